#include "ground/ground.h"

int ground_height() { return 0; }
