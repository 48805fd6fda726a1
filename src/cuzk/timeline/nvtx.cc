#include "cuzk/timeline/nvtx.h"

// CUZK_HAVE_NVTX is defined for this file only, so that every user sees one and the same class.
#if CUZK_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace cuzk::timeline {

#if CUZK_HAVE_NVTX

namespace {

/// NVTX has a domain for as long as the process lives; nothing to give back.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("cuzk");
  return handle;
}

}  // namespace

NvtxRange::NvtxRange(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() {
  nvtxDomainRangePop(domain());
}

#else

NvtxRange::NvtxRange(const char* /*name*/) {}
NvtxRange::~NvtxRange() = default;

#endif

}  // namespace cuzk::timeline
