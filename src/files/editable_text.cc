#include "files/editable_text.h"

#include "base/magic.h"

namespace talaria {

Result<EditableText> EditableText::of(std::string_view bytes) {
  const std::optional<TextEncoding> encoding = encoding_of(bytes);
  if (!encoding) return invalid("it is a binary file (" + std::string(mime_of(bytes)) + "), not text");
  if (encoding->charset == Charset::utf8) return EditableText{std::string(bytes), *encoding};
  EditableText editable{decode_text(bytes, *encoding), *encoding};
  if (encode_text(editable.text, *encoding) != bytes)
    return invalid("its text is not sound " + std::string(encoding_name(*encoding)) +
                   ", so that it cannot be changed without damage");
  return editable;
}

Result<std::string> EditableText::encode(std::string_view changed) const {
  if (encoding.charset == Charset::utf8) return std::string(changed);
  std::optional<std::string> bytes = encode_text(changed, encoding);
  if (!bytes)
    return invalid("it is written in " + std::string(encoding_name(encoding)) +
                   ", which does not have all characters of the new text");
  return *std::move(bytes);
}

}  // namespace talaria
