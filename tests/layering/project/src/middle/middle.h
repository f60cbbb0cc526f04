#pragma once
int middle_height();
