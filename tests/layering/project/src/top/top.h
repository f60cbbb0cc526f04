#pragma once
int top_height();
