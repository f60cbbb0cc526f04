// What a page may take of the machine: counted at operator new and at the arena, not estimated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <latch>
#include <new>
#include <thread>

#include "base/utf8.h"
#include "web/extract.h"
#include "web/html_arena.h"
#include "web/markdown.h"
#include "web/page_text.h"
#include "web/test_server.h"

namespace {

// Bytes of the heap of this test program, and of the arenas that are told of it.
constinit talaria::MemoryMeter all_memory;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  all_memory.add(::malloc_usable_size(memory));
  return memory;
}

void uncounted(void* memory) {
  if (memory != nullptr) all_memory.remove(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return counted(std::malloc(size)); }
void* operator new[](size_t size) { return counted(std::malloc(size)); }
// Sanitizers replace each form on its own, so all that are used are replaced here together.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size);
  return memory ? counted(memory) : nullptr;
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, size_t) noexcept { uncounted(memory); }

namespace talaria {
namespace {

using testing::HasSubstr;

constexpr size_t mebibyte = 1 << 20;
constexpr size_t page_bytes = 5'000'000;

std::string repeat_to(std::string_view part, size_t bytes) {
  std::string out;
  out.reserve(bytes + part.size());
  while (out.size() < bytes) out += part;
  return out;
}

struct HostilePage {
  const char* name;
  std::string html;
};

std::vector<HostilePage> hostile_pages() {
  const std::string words = "plain text that is long enough to be folded ";
  std::string numbered;
  for (int i = 0; numbered.size() < page_bytes; ++i) numbered += "<p id=a" + std::to_string(i) + ">" + words + "</p>";
  std::string attributes = "<div";
  for (int i = 0; attributes.size() < page_bytes / 8; ++i) attributes += " a" + std::to_string(i) + "=b";
  return {
      {"deep div", repeat_to("<div>", page_bytes)},
      {"formatting", repeat_to("<b><i>x", page_bytes)},
      {"siblings", repeat_to("<i>x</i>", page_bytes)},
      {"paragraphs", numbered},
      {"one text", "<p>" + repeat_to(words, page_bytes)},
      {"one code block", "<pre>" + repeat_to(words + "\n", page_bytes)},
      {"backticks", "<pre>" + repeat_to("`", page_bytes)},
      {"code in a cell", "<table><tr><td>a<td><code>" + repeat_to("|", page_bytes)},
      {"attributes of one tag", attributes + ">x"},
      {"attributes of many tags", repeat_to("<a b c d e f>", page_bytes)},
      {"one long attribute", "<img src=x alt='" + repeat_to("[", page_bytes) + "'>"},
      {"many classes", "<pre class='" + repeat_to("a ", page_bytes) + "'>x</pre>"},
      {"one long style", "<p style='" + repeat_to("a ", page_bytes) + "'>x</p>"},
      {"a long base", "<base href='http://e.org/" + repeat_to("a", page_bytes / 2) + "/'>" +
                          repeat_to("<a href=b>c</a>", page_bytes / 2)},
      {"a long title", "<meta property='og:title' content='" + repeat_to("a ", page_bytes) + "'>"},
      {"cells", "<table>" + repeat_to("<tr><td>a<td>b", page_bytes)},
      {"stretched cells", "<table>" + repeat_to("<tr><td colspan=64 rowspan=9>a<td>b", page_bytes)},
      {"nested tables", repeat_to("<table><tr><td>", page_bytes)},
      {"entities", repeat_to("&amp;&lt;&hellip;", page_bytes)},
      {"links", repeat_to("<a href=/x>y</a> ", page_bytes)},
      {"nested lists", repeat_to("<ul><li>x", page_bytes)},
      {"an open comment", "<!--" + repeat_to("x", page_bytes)},
      {"nothing but less-than", repeat_to("<", page_bytes)},
      {"high bytes of windows-1252", repeat_to("\x80", page_bytes)},
  };
}

// Under the thread sanitizer pages are cut off by their deadline long before they take so much.
#ifndef __SANITIZE_THREAD__
TEST(PageMemoryTest, NoPageTakesMoreThan64MiBAndNoneIsKept) {
  HtmlLimits limits;
  limits.time = 400ms;  // enough to fill the arena
  limits.meter = &all_memory;
  for (HostilePage& hostile : hostile_pages()) {
    WebPage page;
    page.final_url = "https://example.org/";
    page.status = 200;
    page.content_type = hostile.html.front() == '\x80' ? "text/html; charset=windows-1252" : "text/html; charset=utf-8";
    page.body = std::move(hostile.html);
    const size_t others = all_memory.now() - page.body.capacity();
    all_memory.begin_again();
    {
      const PageText text = read_page(std::move(page), limits);
      EXPECT_TRUE(is_utf8(text.content)) << hostile.name;
      EXPECT_EQ(text.error, "") << hostile.name;
    }
    EXPECT_LE(all_memory.most() - others, 64 * mebibyte) << hostile.name;
    EXPECT_LE(all_memory.now(), others + 100'000) << hostile.name;
  }
}
#endif

#ifndef __SANITIZE_THREAD__
TEST(PageMemoryTest, AnArenaKeepsItsLimitAndGivesAllBack) {
  MemoryMeter meter;
  MarkdownOptions options;
  options.limits.memory = 16 * mebibyte;
  options.limits.meter = &meter;
  for (const char* part : {"<i>x</i>", "<table><tr><td colspan=64>a<td>b</table>", "<a b c d e f>"}) {
    const MarkdownPage page = html_to_markdown(repeat_to(part, page_bytes), options);
    EXPECT_EQ(page.note, "the page's HTML needs more than 16 MiB to be read; this is its bare text") << part;
    EXPECT_EQ(meter.now(), 0U) << part;
  }
  EXPECT_LE(meter.most(), 16 * mebibyte);
  EXPECT_GT(meter.most(), 15 * mebibyte);
}
#endif

TEST(PageMemoryTest, LargeBlocksGoBackAtOnceAndSmallOnesAreUsedAgain) {
  MemoryMeter meter;
  {
    HtmlArena arena(8 * mebibyte, Clock::now() + 1h, &meter);
    for (int i = 0; i < 100; ++i) arena.deallocate(arena.allocate(5 * mebibyte, 8), 5 * mebibyte, 8);
    EXPECT_EQ(arena.mapped(), 0U);
    void* kept = arena.allocate(5 * mebibyte, 8);
    EXPECT_THROW(static_cast<void>(arena.allocate(5 * mebibyte, 8)), std::bad_alloc);
    arena.deallocate(kept, 5 * mebibyte, 8);
    for (size_t round = 0; round < 1000; ++round) {
      std::vector<void*> blocks;
      for (size_t size = 1; size < 4000; size += 37) blocks.push_back(arena.allocate(size, 8));
      for (void* block : blocks) arena.give_back(block);
    }
    EXPECT_EQ(arena.mapped(), mebibyte);
    EXPECT_EQ(meter.now(), mebibyte);
  }
  EXPECT_EQ(meter.now(), 0U);
  EXPECT_LE(meter.most(), 8 * mebibyte);
}

TEST(PageMemoryTest, BlocksOfAnArenaDoNotOverlap) {
  HtmlArena arena(64 * mebibyte, Clock::now() + 1h);
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  for (size_t size = 1; size < 300'000; size += 1 + size / 7) {
    auto* block = static_cast<unsigned char*>(arena.allocate(size, 8));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 8, 0U);
    std::fill_n(block, size, static_cast<unsigned char>(blocks.size()));
    blocks.emplace_back(block, size);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    EXPECT_EQ(std::count(block, block + size, static_cast<unsigned char>(i)), static_cast<ptrdiff_t>(size));
  }
}

TEST(PageMemoryTest, TwoPagesAreReadAtOnceAndOthersWait) {
  ReadingRoom room;
  const std::atomic<bool> cancelled = false;
  std::optional<Result<ReadingRoom::Seat>> first(room.enter(Clock::now() + 60s, cancelled));
  const Result<ReadingRoom::Seat> second = room.enter(Clock::now() + 60s, cancelled);
  ASSERT_TRUE(*first);
  ASSERT_TRUE(second);
  const Result<ReadingRoom::Seat> late = room.enter(Clock::now(), cancelled);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message(), HasSubstr("other pages took all the places"));
  const std::atomic<bool> over = true;
  const Result<ReadingRoom::Seat> given_up = room.enter(Clock::now() + 60s, over);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code(), ErrorCode::cancelled);
  std::thread waiting([&] { EXPECT_TRUE(room.enter(Clock::now() + 60s, cancelled)); });
  first.reset();
  waiting.join();
  EXPECT_EQ(room.most_taken(), 2);
}

TEST(PageMemoryTest, ManyCallsAtOnceShareTheRoom) {
  TestServer server;
  server.page("/", "text/html", "<title>t</title>" + repeat_to("<p>some text in a paragraph</p>", 200'000));
  ExtractOptions options;
  options.fetch = local_options();
  std::latch start(4);
  std::vector<std::thread> calls;
  for (int i = 0; i < 4; ++i) {
    calls.emplace_back([&] {
      WebGate gate = open_gate();
      const std::atomic<bool> cancelled = false;
      start.arrive_and_wait();
      const auto pages = extract({server.url("/"), server.url("/"), server.url("/")}, options, gate, cancelled);
      ASSERT_TRUE(pages);
      for (const ExtractedPage& page : *pages) EXPECT_EQ(page.error, "");
    });
  }
  for (std::thread& call : calls) call.join();
  EXPECT_LE(options.room->most_taken(), 2);
}

}  // namespace
}  // namespace talaria
