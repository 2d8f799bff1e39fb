// Hands the grammar to the `tree-sitter` package of Node.

#include <napi.h>

typedef struct TSLanguage TSLanguage;

extern "C" TSLanguage *tree_sitter_mangle();

// The tag by which the `tree-sitter` package knows that an external value is a grammar.
static const napi_type_tag LANGUAGE_TAG = {0x8AF2E5212AD58ABF, 0xD5006CAD83ABBA16};

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports["name"] = Napi::String::New(env, "mangle");
  auto language = Napi::External<TSLanguage>::New(env, tree_sitter_mangle());
  language.TypeTag(&LANGUAGE_TAG);
  exports["language"] = language;
  return exports;
}

NODE_API_MODULE(tree_sitter_mangle_binding, Init)
