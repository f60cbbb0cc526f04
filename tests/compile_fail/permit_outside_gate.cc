// Only the gate cuts a permit; everyone else may look at one.
#include "process/permit.h"

#ifdef MUST_NOT_COMPILE
talaria::Permit forge() { return talaria::Permit(talaria::Command{{"/bin/true"}, "/", {}}); }
#endif

const talaria::Command& look(const talaria::Permit& permit) { return permit.command(); }
