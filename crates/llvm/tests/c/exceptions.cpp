// C++ in the style of C: constructors, virtual calls, exceptions, templates, static locals.

struct Base {
    virtual ~Base() {}
    virtual int value() const { return 1; }
};

struct Derived : Base {
    int number;
    explicit Derived(int n) : number(n) {}
    int value() const override { return number; }
};

struct Guard {
    int &count;
    explicit Guard(int &c) : count(c) { ++count; }
    ~Guard() { --count; }
};

template <typename T> T largest(T a, T b) { return a < b ? b : a; }

int live;
Derived global(5);
thread_local Derived local(6);
Derived &singleton() {
    static Derived only(7);
    return only;
}

int risky(int n) {
    Guard guard(live);
    if (n < 0)
        throw n;
    if (n == 0)
        throw Derived(n);
    return n;
}

int careful(int n) noexcept {
    try {
        Guard guard(live);
        return risky(n);
    } catch (int i) {
        return i;
    } catch (const Base &b) {
        return b.value();
    } catch (...) {
        return -1;
    }
}

int filtered(int n) {
    try {
        return careful(n) + risky(n);
    } catch (const Derived &) {
        throw;
    }
}

int main() {
    Base *made = new Derived(3);
    int (Base::*member)() const = &Base::value;
    auto add = [&](int i) { return i + live; };
    int result = made->value() + (made->*member)() + add(1) + largest(1.5f, 2.5f) + local.number;
    delete made;
    return result + singleton().value() + filtered(result) + global.value();
}
