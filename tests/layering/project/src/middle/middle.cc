#include "middle/middle.h"

#include "ground/ground.h"

int middle_height() { return ground_height() + 1; }
