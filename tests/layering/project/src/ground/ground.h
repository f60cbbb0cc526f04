#pragma once
int ground_height();
