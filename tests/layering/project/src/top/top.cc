// Before its own header, so that only the header compiled alone shows what that header lacks.
#include <string>

#include "middle/middle.h"
#include "top/top.h"

int top_height() { return middle_height() + 1; }
