#include "gtvmin/base/errand.h"

#include <cassert>
#include <utility>

namespace gtvmin {
namespace {

thread_local const Errand* current = nullptr;

}  // namespace

Errand::Errand(std::function<void()> errand) : errand_(std::move(errand)) {
  assert(current == nullptr);
  current = this;
}

Errand::~Errand() { current = nullptr; }

const Errand* Errand::of_this_thread() { return current; }

}  // namespace gtvmin
