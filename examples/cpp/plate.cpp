/* SPDX-License-Identifier: BSD-3-Clause */
/* plate.cpp - heat spreads over a plate whose upper edge is kept warm, with Heddle in C++.
 * c++ -std=c++17 plate.cpp $(pkg-config --cflags --libs heddle) -o plate && ./plate */
#include <iostream>

#include <heddle/heddle.hpp>

int main()
{
    try {
        hd::slice inner(1, -1), before(0, -2), after(2, hd::none);
        hd::array t = hd::zeros({64, 64});
        t[0] = 100;                                         /* a view, which is written to */
        for (int step = 0; step < 2000; step++)
            t(inner, inner) = (t(before, inner) + t(after, inner) + t(inner, before) +
                               t(inner, after)) / 4;
        std::cout << "middle of the plate: " << t(32, 32).item() << "\n";
        std::cout << "warmer than 50: " << hd::sum(t > 50).item<int>() << " places\n";
        std::cout << t(hd::slice(0, hd::none, 21), hd::slice(0, hd::none, 21)) << "\n";
    } catch (const hd::error &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
