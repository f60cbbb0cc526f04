#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "skills/skill.h"

namespace talaria {

// Skills by their slugs. It is made anew for every view, so it is one piece of memory.
class SlugTable {
 public:
  // For at most `count` skills.
  explicit SlugTable(size_t count) {
    size_t size = 4;
    while (size < 2 * count) size *= 2;
    places_.resize(size);
  }

  // The skill that has this one's slug: itself, unless another had it first.
  const Skill* add(const Skill* skill) {
    const Skill*& place = places_[place_of(skill->card.slug)];
    if (!place) place = skill;
    return place;
  }
  // Or null.
  const Skill* find(std::string_view slug) const { return places_[place_of(slug)]; }

 private:
  // Where it is, or would be.
  size_t place_of(std::string_view slug) const {
    size_t place = std::hash<std::string_view>()(slug) & (places_.size() - 1);
    while (places_[place] && places_[place]->card.slug != slug) place = (place + 1) & (places_.size() - 1);
    return place;
  }

  std::vector<const Skill*> places_;  // at least half of them null, so that a search ends
};

}  // namespace talaria
