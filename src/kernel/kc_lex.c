/* SPDX-License-Identifier: BSD-3-Clause */
/* kc_lex.c - characters to tokens. A backslash at the end of a line is a space. */
#include "kernel/kc_token.h"

typedef struct lexer {
    kc_reader *r;
    const char *p, *line_start;
    int32_t line;
    uint8_t flags;                 /* of the next token */
    uint8_t always;
} lexer;

static bool is_word_start(char x)
{
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_' || x == '$';
}

static bool is_digit(char x) { return x >= '0' && x <= '9'; }

static void line_next(lexer *s)
{
    s->line++;
    s->line_start = s->p;
}

/* Behind a backslash: the end of the line, 0 bytes if it is none. */
static int line_joined(const char *p)
{
    return p[0] == '\\' && p[1] == '\n' ? 2 : p[0] == '\\' && p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static void comment_of_line(lexer *s)
{
    while (*s->p != '\0' && *s->p != '\n') {
        const int joined = line_joined(s->p);
        s->p += joined != 0 ? joined : 1;
        if (joined != 0)
            line_next(s);
    }
}

static void comment_of_block(lexer *s)
{
    const kc_token here = {.line = s->line, .column = (uint16_t)(s->p - s->line_start + 1)};
    for (s->p += 2; *s->p != '\0' && !(s->p[0] == '*' && s->p[1] == '/');)
        if (*s->p++ == '\n')
            line_next(s);
    if (*s->p == '\0')
        hdi_kc_fail(s->r, HD_VALUE, &here, "a comment has no end: */ is missing");
    else
        s->p += 2;
}

static bool blank(lexer *s)
{
    const int joined = line_joined(s->p);
    if (joined != 0 || *s->p == '\n') {
        s->flags |= joined != 0 ? KC_SPACE : KC_FRESH | KC_SPACE;
        s->p += joined != 0 ? joined : 1;
        line_next(s);
        return true;
    }
    if (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\f' || *s->p == '\v')
        s->p++;
    else if (s->p[0] == '/' && s->p[1] == '/')
        comment_of_line(s);
    else if (s->p[0] == '/' && s->p[1] == '*')
        comment_of_block(s);
    else
        return false;
    s->flags |= KC_SPACE;
    return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static const char *number_end(const char *p)
{
    for (;; p++) {
        const bool sign = (*p == '+' || *p == '-') &&
                          (p[-1] == 'e' || p[-1] == 'E' || p[-1] == 'p' || p[-1] == 'P');
        const bool apart = *p == '\'' && (is_digit(p[1]) || is_word_start(p[1]));
        if (!(is_digit(*p) || is_word_start(*p) || *p == '.' || sign || apart))
            return p;
    }
}

/* A hexadecimal 0x1e+2 is a sum: e is a digit there. */
static const char *number(const char *p)
{
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        const char *end = p + 2;
        while (is_digit(*end) || is_word_start(*end) || *end == '.' ||
               ((*end == '+' || *end == '-') && (end[-1] == 'p' || end[-1] == 'P')) ||
               (*end == '\'' && (is_digit(end[1]) || is_word_start(end[1]))))
            end++;
        return end;
    }
    return number_end(p);
}

static const char *quoted(const lexer *s, kc_token *t)
{
    const char quote = *s->p;
    const char *p = s->p + 1;
    while (*p != quote && *p != '\0' && *p != '\n')
        p += p[0] == '\\' && p[1] != '\0' && p[1] != '\n' ? 2 : 1;
    if (*p != quote) {
        t->what = KC_OTHER;                                 /* an error, unless an #if skips it */
        return p;
    }
    return p + 1;
}

static const struct { char text[4]; uint16_t what; } signs[] = {
    {"...", KC_DOTS}, {"<<=", KC_SHL_SET}, {"->", KC_ARROW}, {"++", KC_INC}, {"--", KC_DEC},
    {"<<", KC_SHL}, {"<=", KC_LE}, {">=", KC_GE}, {"==", KC_EQ}, {"!=", KC_NE}, {"&&", KC_AND},
    {"||", KC_OR}, {"*=", KC_MUL_SET}, {"/=", KC_DIV_SET}, {"%=", KC_REM_SET}, {"+=", KC_ADD_SET},
    {"-=", KC_SUB_SET}, {"&=", KC_AND_SET}, {"^=", KC_XOR_SET}, {"|=", KC_OR_SET},
    {"::", KC_SCOPE}, {"##", KC_PASTE},
};

static const char *sign(const char *p, kc_token *t)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t n = strlen(signs[i].text);
        if (strncmp(p, signs[i].text, n) == 0) {
            t->what = signs[i].what;
            return p + n;
        }
    }
    t->what = strchr("{}()[];,.<>+-*/%&|^!~?:=#", *p) != NULL ? (uint16_t)*p : KC_OTHER;
    return p + 1;
}

static const char *one(lexer *s, kc_token *t)
{
    const char *p = s->p;
    if (is_word_start(*p)) {
        while (is_word_start(*p) || is_digit(*p))
            p++;
        t->word = hdi_kc_word(s->r, s->p, (int32_t)(p - s->p));
        t->what = t->word == NULL ? KC_NAME : t->word->what;
        return p;
    }
    if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        t->what = KC_NUMBER;
        return number(p);
    }
    if (*p == '"' || *p == '\'') {
        t->what = *p == '"' ? KC_TEXT : KC_LETTER;
        return quoted(s, t);
    }
    return sign(p, t);
}

void hdi_kc_lex(kc_reader *r, const char *text, int flags, kc_tokens *out)
{
    lexer s = {r, text, text, 1, KC_FRESH, (uint8_t)flags};
    while (!r->failed) {
        while (*s.p != '\0' && blank(&s))
            ;
        if (*s.p == '\0')
            return;
        const int64_t column = s.p - s.line_start + 1;
        kc_token t = {.text = s.p, .line = s.line, .flags = s.flags | s.always,
                      .column = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX)};
        const char *end = one(&s, &t);
        t.length = (int32_t)(end - s.p);
        s.p = end;
        s.flags = 0;
        hdi_kc_tokens_add(r, out, &t);
    }
}

/* ---- values of tokens ------------------------------------------------------------------------ */

static int digit_of(char x)
{
    return is_digit(x) ? x - '0' : x >= 'a' && x <= 'f' ? x - 'a' + 10
                               : x >= 'A' && x <= 'F'   ? x - 'A' + 10
                                                        : 99;
}

/* A character of a quoted token; p goes behind it. */
static char letter(const char **p)
{
    const char *q = *p;
    if (*q != '\\') {
        *p = q + 1;
        return *q;
    }
    static const char from[] = "ntrabfv\\'\"?", to[] = "\n\t\r\a\b\f\v\\'\"?";
    q++;
    int value = 0, digits = 0;
    if (*q == 'x') {
        for (q++; digit_of(*q) < 16 && digits < 2; q++, digits++)
            value = value * 16 + digit_of(*q);
    } else if (digit_of(*q) < 8) {
        for (; digit_of(*q) < 8 && digits < 3; q++, digits++)
            value = value * 8 + digit_of(*q);
    } else {
        const char *found = strchr(from, *q);
        value = found != NULL && *q != '\0' ? to[found - from] : *q;
        q++;
    }
    *p = q;
    return (char)value;
}

int32_t hdi_kc_letters(const kc_token *t, char *out)
{
    int32_t n = 0;
    for (const char *p = t->text + 1; p < t->text + t->length - 1;)
        out[n++] = letter(&p);
    return n;
}

bool hdi_kc_integer(const kc_token *t, uint64_t *value)
{
    const char *p = t->text, *end = p + t->length;
    *value = 0;
    if (t->what == KC_LETTER) {
        char out[8];
        if (t->length < 3 || t->length > 6 || hdi_kc_letters(t, out) != 1)
            return false;
        *value = (uint64_t)(int64_t)out[0];
        return true;
    }
    int base = 10;
    if (*p == '0' && t->length > 1) {
        base = p[1] == 'x' || p[1] == 'X' ? 16 : p[1] == 'b' || p[1] == 'B' ? 2 : 8;
        p += base == 8 ? 1 : 2;
    }
    for (; p < end && (digit_of(*p) < base || *p == '\''); p++)
        if (*p != '\'' && (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
                           __builtin_add_overflow(*value, (uint64_t)digit_of(*p), value)))
            return false;
    while (p < end && strchr("uUlLzZ", *p) != NULL)
        p++;
    return p == end && end > t->text;
}
