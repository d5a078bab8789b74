# SPDX-License-Identifier: BSD-3-Clause
"""From a function in Python to one in CUDA C: expressions and statements of its syntax tree.

Variables have the type of what they are first given. Those of the function are v_<name> in C, so
that none is a word of C's.
"""
import ast
import builtins
import inspect
import operator
import textwrap

from . import _functions
from ._values import (BOOL, FLOAT32, FLOAT64, Array, Known, Pointer, Value, as_number, c_name,
                      cast, described, number, promoted)

_OPERATORS = {ast.Add: ("+", operator.add), ast.Sub: ("-", operator.sub),
              ast.Mult: ("*", operator.mul), ast.Div: ("/", operator.truediv),
              ast.FloorDiv: ("//", operator.floordiv), ast.Mod: ("%", operator.mod),
              ast.Pow: ("**", operator.pow), ast.LShift: ("<<", operator.lshift),
              ast.RShift: (">>", operator.rshift), ast.BitOr: ("|", operator.or_),
              ast.BitXor: ("^", operator.xor), ast.BitAnd: ("&", operator.and_),
              ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne),
              ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le),
              ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
              ast.Is: ("is", operator.is_), ast.IsNot: ("is not", operator.is_not)}
_UNARY = {ast.USub: ("-", operator.neg), ast.UAdd: ("+", operator.pos),
          ast.Invert: ("~", operator.invert), ast.Not: ("!", operator.not_)}


class Source:
    """A function's syntax tree, and what its free names mean."""

    def __init__(self, function):
        try:
            lines, self.first = inspect.getsourcelines(function)
        except OSError:
            raise RuntimeError(f"the source of {function.__name__}() is not to be had, which its "
                               "translation needs") from None
        self.node = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(self.node, ast.FunctionDef):
            raise NotImplementedError("kernels are functions made by def")
        arguments = self.node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise NotImplementedError("parameters of a kernel have names, and no defaults")
        self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        closure = inspect.getclosurevars(function)
        self.names = {**vars(builtins), **closure.globals, **closure.nonlocals}
        self.names.update((name, value) for name, value in function.__globals__.items()
                          if name not in self.names)
        self.file = function.__code__.co_filename


class Translation:
    """Of one function for given types of its arguments.

    module: what all functions of a kernel share: .functions, their code in order.
    """

    def __init__(self, source, types, mode, module, is_device):
        self.source, self.types, self.mode, self.module = source, types, mode, module
        self.is_device, self.returned = is_device, None
        self.written_arrays, self.declarations, self.lines, self.depth = set(), [], [], 1
        self.count = 0
        if len(types) != len(source.parameters):
            raise TypeError(f"{source.node.name}() takes {len(source.parameters)} arguments, and "
                            f"not {len(types)}")
        self.variables = {name: Value(f"v_{name}", type, not isinstance(type, (Array, Pointer)))
                          for name, type in zip(source.parameters, types)}

    def translate(self):
        """The body, after which everything else is known."""
        self.block(self.source.node.body)
        return self

    # ---- what functions use ----

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}_{self.count}"

    def declare(self, line):
        self.declarations.append(f"    {line}")

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def kept(self, value):
        """The variable that a statement has put a value in."""
        name = self.fresh("kept")
        self.declare(f"{c_name(value.type)} {name};")
        self.emit(f"{name} = {value.code};")
        return name

    def written(self, array):
        self.written_arrays.add(array.code)

    def element(self, array, index):
        """An element of an array or of shared memory, as a place."""
        if not isinstance(array, Value) or not isinstance(array.type, (Array, Pointer)):
            raise TypeError(f"an array is expected, and not {described(array)}")
        many = isinstance(index.type, tuple) if isinstance(index, Value) else \
            isinstance(index.object, tuple)
        indices = [index] if not many else index.code if isinstance(index, Value) else \
            [Known(i) for i in index.object]
        numbers = [as_number(i, self.mode, "an index") for i in indices]
        if any(n.type.kind not in "iub" for n in numbers):
            raise TypeError("an index is an integer")
        ndim = array.type.ndim if isinstance(array.type, Array) else 1
        if len(numbers) != ndim:
            raise IndexError(f"an array of {ndim} axes has {ndim} indices in a kernel, and not "
                             f"{len(numbers)}")
        name = array.code
        if isinstance(array.type, Pointer) or (ndim == 1 and array.type.is_dense):
            return Value(f"{name}[{numbers[0].code}]", array.type.dtype, True)
        if ndim == 0:
            return Value(f"{name}[0]", array.type.dtype, True)
        if array.type.is_dense:
            offset = f"(long long){numbers[0].code}"
            for axis, n in enumerate(numbers[1:], 1):
                offset = f"({offset}) * {name}_n{axis} + (long long){n.code}"
        else:
            offset = " + ".join(f"(long long){n.code} * {name}_s{axis}"
                                for axis, n in enumerate(numbers))
        return Value(f"{name}[{offset}]", array.type.dtype, True)

    # ---- expressions ----

    def value(self, node):
        """A Value or Known of an expression."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise NotImplementedError(f"{type(node).__name__} is not there in kernels")
        return method(node)

    def number(self, node):
        return as_number(self.value(node), self.mode)

    def _Constant(self, node):
        return Known(node.value)

    def _Name(self, node):
        if node.id in self.variables:
            return self.variables[node.id]
        if node.id in self.source.names:
            return Known(self.source.names[node.id])
        raise NameError(f"Unbound name: {node.id}")

    def _Tuple(self, node):
        values = [self.value(element) for element in node.elts]
        if all(isinstance(v, Known) for v in values):
            return Known(tuple(v.object for v in values))
        values = tuple(v if isinstance(v, Value) and isinstance(v.type, Pointer) else
                       as_number(v, self.mode) for v in values)
        return Value(values, tuple(v.type for v in values))

    def _Attribute(self, node):
        value = self.value(node.value)
        if isinstance(value, Known):
            if isinstance(value.object, _functions.Dimensions):
                return value.object.member(node.attr)
            return Known(getattr(value.object, node.attr))
        if isinstance(value.type, Array):
            if node.attr == "ndim":
                return Known(value.type.ndim)
            if node.attr == "dtype":
                return Known(value.type.dtype.type)
            if node.attr in ("shape", "strides", "size"):
                return self._fact(value, node.attr)
        if isinstance(value.type, type(BOOL)) and value.type.kind == "c" and \
                node.attr in ("real", "imag"):
            part = number("f4" if value.type.char == "F" else "f8")
            return Value(f"{node.attr}({value.code})", part)
        raise AttributeError(f"{described(value)} has no {node.attr} in a kernel")

    def _fact(self, array, name):
        long = number("i8")
        sizes = [f"{array.code}_n{axis}" for axis in range(array.type.ndim)]
        if name == "size":
            return Value("(" + (" * ".join(sizes) or "1LL") + ")", long)
        if name == "strides":
            item = array.type.dtype.itemsize
            sizes = [f"({array.code}_s{axis} * {item}LL)" if not array.type.is_dense else
                     "(" + " * ".join([f"{item}LL", *sizes[axis + 1:]]) + ")"
                     for axis in range(array.type.ndim)]
        return Value(tuple(Value(s, long) for s in sizes), (long,) * len(sizes))

    def _Subscript(self, node):
        value, index = self.value(node.value), self.value(node.slice)
        if isinstance(value, Known):
            return Known(value.object[_functions.known(index, "an index of a constant")])
        if isinstance(value.type, tuple):
            return value.code[_functions.known(index, "an index of several values")]
        return self.element(value, index)

    def _UnaryOp(self, node):
        value = self.value(node.operand)
        sign, of_known = _UNARY[type(node.op)]
        if isinstance(value, Known):
            return Known(of_known(value.object))
        value = as_number(value, self.mode)
        if sign == "!":
            return Value(f"(!{cast(value, BOOL)})", BOOL)
        if sign == "~" and value.type.kind == "b":
            return Value(f"(!{value.code})", BOOL)
        if sign == "~" and value.type.kind not in "iu":
            raise TypeError(f"~ of {value.type}")
        return Value(f"({c_name(value.type)})({sign}{value.code})", value.type)

    def _BinOp(self, node):
        return self.binary(type(node.op), self.value(node.left), self.value(node.right))

    def binary(self, op, left, right):
        sign, of_known = _OPERATORS[op] if op in _OPERATORS else (None, None)
        if sign is None:
            raise NotImplementedError(f"{op.__name__} is not there in kernels")
        if isinstance(left, Known) and isinstance(right, Known):
            return Known(of_known(left.object, right.object))
        left, right = as_number(left, self.mode), as_number(right, self.mode)
        dtype = promoted([left.type, right.type], self.mode)
        if sign == "/" and dtype.kind in "biu":
            dtype = FLOAT64
        if sign in ("<<", ">>", "|", "^", "&") and dtype.kind not in "biu":
            raise TypeError(f"{sign} of {left.type} and {right.type}")
        if sign in ("//", "%", "**"):
            return self._named(sign, left, right, dtype)
        left, right, name = cast(left, dtype), cast(right, dtype), c_name(dtype)
        if dtype.kind == "b" and sign in ("+", "*", "|", "&"):
            return Value(f"({left} {'||' if sign in '+|' else '&&'} {right})", BOOL)
        # what C computes as int is a small type again
        wrap = name if dtype.itemsize < 4 else ""
        return Value(f"({name})({left} {sign} {right})" if wrap else f"({left} {sign} {right})",
                     dtype)

    def _named(self, sign, left, right, dtype):
        if dtype.kind == "c":
            raise TypeError(f"{sign} of complex numbers is not there in kernels")
        dtype = number("i1") if dtype.kind == "b" else dtype
        wide = FLOAT32 if dtype.char == "e" else dtype
        a, b, name = cast(left, wide), cast(right, wide), c_name(wide)
        if dtype.kind == "f":
            code = {"//": f"floor({a} / {b})", "%": f"heddle_float_mod<{name}>({a}, {b})",
                    "**": f"pow({a}, {b})"}[sign]
        else:
            signed = "signed" if dtype.kind == "i" else "unsigned"
            function = {"//": f"heddle_{signed}_div", "%": f"heddle_{signed}_mod",
                        "**": "heddle_power"}[sign]
            code = f"{function}<{name}>({a}, {b})"
        return Value(cast(Value(code, wide), dtype), dtype)

    def _Compare(self, node):
        values = [self.value(v) for v in (node.left, *node.comparators)]
        parts = []
        for op, left, right in zip(node.ops, values, values[1:]):
            sign, of_known = _OPERATORS.get(type(op), (None, None))
            if isinstance(left, Known) and isinstance(right, Known) and sign:
                parts.append(Known(of_known(left.object, right.object)))
                continue
            if sign is None or sign.startswith("is"):
                raise NotImplementedError(f"{type(op).__name__} is not there in kernels")
            left, right = as_number(left, self.mode), as_number(right, self.mode)
            dtype = promoted([left.type, right.type], self.mode)
            parts.append(Value(f"({cast(left, dtype)} {sign} {cast(right, dtype)})", BOOL))
        if all(isinstance(p, Known) for p in parts):
            return Known(all(p.object for p in parts))
        return self._joined("&&", parts)

    def _BoolOp(self, node):
        values = [self.value(v) for v in node.values]
        if all(isinstance(v, Known) for v in values):
            both = isinstance(node.op, ast.And)
            return Known((all if both else any)(v.object for v in values))
        return self._joined("&&" if isinstance(node.op, ast.And) else "||", values)

    def _joined(self, sign, values):
        codes = [cast(as_number(v, self.mode), BOOL) for v in values]
        return Value("(" + f" {sign} ".join(codes) + ")", BOOL)

    def _IfExp(self, node):
        condition = self.value(node.test)
        if isinstance(condition, Known):
            return self.value(node.body if condition.object else node.orelse)
        return self.chosen(condition, self.value(node.body), self.value(node.orelse))

    def chosen(self, condition, yes, no):
        condition, yes, no = (as_number(v, self.mode) for v in (condition, yes, no))
        dtype = promoted([yes.type, no.type], self.mode)
        return Value(f"({cast(condition, BOOL)} ? {cast(yes, dtype)} : {cast(no, dtype)})", dtype)

    def _Call(self, node):
        function = self.value(node.func)
        if any(isinstance(a, ast.Starred) for a in node.args) or \
                any(k.arg is None for k in node.keywords):
            raise NotImplementedError("calls with * or ** are not there in kernels")
        args = [self.value(a) for a in node.args]
        kwargs = {k.arg: self.value(k.value) for k in node.keywords}
        if not isinstance(function, Known):
            raise TypeError(f"{described(function)} cannot be called")
        if hasattr(function.object, "call_in_kernel"):
            return function.object.call_in_kernel(self, args)
        return _functions.call(self, function.object, args, kwargs)

    # ---- statements ----

    def block(self, nodes):
        for node in nodes:
            method = getattr(self, f"_do_{type(node).__name__}", None)
            try:
                if method is None:
                    raise NotImplementedError(f"{type(node).__name__} is not there in kernels")
                method(node)
            except Exception as error:
                if not getattr(error, "_has_place", False):
                    error._has_place = True
                    line = self.source.first + node.lineno - 1
                    error.args = (f"{error.args[0] if error.args else ''} "
                                  f"({self.source.file}, line {line}, in {self.source.node.name})",)
                raise

    def _inside(self, head, nodes, first=()):
        self.emit(head + " {")
        self.depth += 1
        for line in first:
            self.emit(line)
        self.block(nodes)
        self.depth -= 1
        self.emit("}")

    def _do_Pass(self, node):
        pass

    def _do_Break(self, node):
        self.emit("break;")

    def _do_Continue(self, node):
        self.emit("continue;")

    def _do_Expr(self, node):
        value = self.value(node.value)      # a docstring is a constant
        if isinstance(value, Value) and isinstance(node.value, ast.Call):
            self.emit(f"{value.code};")

    def _do_Assign(self, node):
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _do_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            place = self.value(node.target)
            self._assign_name(node.target.id,
                              self.binary(type(node.op), place, self.value(node.value)))
            return
        array, index = self.value(node.target.value), self.value(node.target.slice)
        if any(isinstance(part, ast.Call) for part in ast.walk(node.target.slice)):
            index = self._once(index)       # the place is read and written
        place = self.element(array, index)
        self._write(array, place, self.binary(type(node.op), place, self.value(node.value)))

    def _once(self, index):
        if isinstance(index, Known):
            return index
        if isinstance(index.type, tuple):
            return Value(tuple(Value(self.kept(i), i.type) for i in index.code), index.type)
        return Value(self.kept(index), index.type)

    def _write(self, array, place, value):
        self.written(array)
        self.emit(f"{place.code} = {cast(as_number(value, self.mode), place.type)};")

    def assign(self, target, value):
        if isinstance(target, ast.Tuple):
            parts = value.code if isinstance(value, Value) and isinstance(value.type, tuple) else \
                [Known(v) for v in value.object] if isinstance(value, Known) and \
                isinstance(value.object, tuple) else None
            if parts is None or len(parts) != len(target.elts):
                raise ValueError(f"{described(value)} does not fill {len(target.elts)} targets")
            # all are computed before the first is assigned
            parts = [p if isinstance(p, Known) or isinstance(p.type, Pointer) else
                     Value(self.kept(p), p.type) for p in parts]
            for element, part in zip(target.elts, parts):
                self.assign(element, part)
        elif isinstance(target, ast.Name):
            self._assign_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            array = self.value(target.value)
            self._write(array, self.element(array, self.value(target.slice)), value)
        else:
            raise NotImplementedError(f"{type(target).__name__} is no target in kernels")

    def _assign_name(self, name, value):
        variable = self.variables.get(name)
        if isinstance(value, Value) and isinstance(value.type, (Pointer, Array, tuple)):
            if variable is not None or isinstance(value.type, Array):
                raise TypeError(f"{described(value)} is given to one variable, once")
            self.variables[name] = value
            return
        value = as_number(value, self.mode)
        if variable is None:
            variable = self.variables[name] = Value(f"v_{name}", value.type, True)
            self.declare(f"{c_name(value.type)} v_{name};")
        if not variable.is_place:
            raise TypeError(f"{name} is {described(variable)}, and stays that")
        self.emit(f"{variable.code} = {cast(value, variable.type)};")

    def _do_If(self, node):
        condition = self.value(node.test)
        if isinstance(condition, Known):
            self.block(node.body if condition.object else node.orelse)
            return
        self._inside(f"if ({cast(as_number(condition, self.mode), BOOL)})", node.body)
        if node.orelse:
            self._inside("else", node.orelse)

    def _do_While(self, node):
        if node.orelse:
            raise NotImplementedError("while with else is not there in kernels")
        self._inside(f"while ({cast(self.number(node.test), BOOL)})", node.body)

    def _do_For(self, node):
        call = node.iter
        function = self.value(call.func) if isinstance(call, ast.Call) else None
        if node.orelse or not isinstance(node.target, ast.Name) or \
                not isinstance(function, Known) or \
                function.object not in (range, _functions.range_):
            raise NotImplementedError("for is there in kernels as `for name in range(...)`")
        unroll = [self.value(k.value) for k in call.keywords if k.arg == "unroll"]
        if len(unroll) != len(call.keywords) or \
                (unroll and function.object is not _functions.range_):
            raise TypeError("range() takes no such keyword")
        values = [self.value(a) for a in call.args]
        if not 1 <= len(values) <= 3:
            raise TypeError(f"range takes one to three numbers, and not {len(values)}")
        values = [Known(0), *values] if len(values) == 1 else values
        step = values[2] if len(values) == 3 else Known(1)
        self._loop(node, values[0], values[1], step, unroll)

    def _loop(self, node, start, stop, step, unroll):
        direction = None if isinstance(step, Value) and step.type.kind == "i" else \
            True if isinstance(step, Value) else step.object > 0
        if isinstance(step, Known) and step.object == 0:
            raise ValueError("range() arg 3 must not be zero")
        numbers = [as_number(v, self.mode) for v in (start, stop, step)]
        if any(v.type.kind not in "iu" for v in numbers):
            raise TypeError("range takes integers")
        dtype = promoted([v.type for v in numbers[:2]], self.mode)
        # in 64 bits, where counting past the end does not wrap
        i, end, by = (self.fresh(name) for name in ("i", "end", "by"))
        codes = [cast(v, number("i8")) for v in numbers]
        test = {True: f"{i} < {end}", False: f"{i} > {end}",
                None: f"{by} > 0 ? {i} < {end} : {i} > {end}"}[direction]
        self.declare(f"long long {i}, {end}, {by};")
        self.emit(f"{end} = {codes[1]};")
        self.emit(f"{by} = {codes[2]};")
        if unroll and unroll[0].object is not None:
            n = unroll[0].object
            self.lines.append("#pragma unroll" + ("" if n is True else f"({max(int(n), 1)})"))
        name = node.target.id
        if name not in self.variables:
            self.variables[name] = Value(f"v_{name}", dtype, True)
            self.declare(f"{c_name(dtype)} v_{name};")
        variable = self.variables[name]
        counted = cast(Value(i, number("i8")), variable.type)
        self._inside(f"for ({i} = {codes[0]}; {test}; {i} += {by})", node.body,
                     [f"{variable.code} = {counted};"])

    def _do_Return(self, node):
        if node.value is None or (isinstance(node.value,
                                             ast.Constant) and node.value.value is None):
            self.emit("return;")
            return
        value = self.number(node.value)
        if not self.is_device:
            raise TypeError("a kernel returns nothing")
        if self.returned is None:
            self.returned = value.type
        self.emit(f"return {cast(value, self.returned)};")

    # ---- the function ----

    def parameters(self):
        """The declarations of its parameters in C."""
        found = []
        for name, type in zip(self.source.parameters, self.types):
            name = f"v_{name}"
            if isinstance(type, (Array, Pointer)):
                const = "" if name in self.written_arrays else "const "
                found.append(f"{const}{c_name(type.dtype)} *{name}")
                if isinstance(type, Array):
                    found += [f"long long {name}_n{axis}" for axis in range(type.ndim)]
                    found += [f"long long {name}_s{axis}" for axis in range(type.ndim)
                              if not type.is_dense]
            else:
                found.append(f"{c_name(type)} {name}")
        return ", ".join(found)

    def code(self, head):
        return "\n".join([f"{head}({self.parameters()})", "{", *self.declarations, *self.lines, "}",
                          ""])
