// A program outside the tree: it finds the installed package and uses it.
#include <cuzk/field/fr.h>

int main() {
  const cuzk::Fr seven = cuzk::fr_generator();
  return seven * seven.inverse() == cuzk::Fr::one() ? 0 : 1;
}
