// Sees the module base and nothing above it.
#include "base/result.h"
#ifdef MUST_NOT_COMPILE
#include "json/json.h"
#endif

talaria::Error describe() { return talaria::invalid("nothing"); }
