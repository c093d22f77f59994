"""Writes a small model of llama's architecture as GGUF. Its layers are zero, so that each token decides the next alone."""

import sys

import numpy
from gguf import GGUFWriter, LlamaFileType, TokenType

width, layers, heads, hidden = 512, 4, 8, 1024

# The user's last word selects the answer.
chains = {
    "#hello": ["Hello,", " 数据", " and", " a", " naïve", " 🚀", "."],
    "#weather": ['<tool_call>\n{"name": "get_weather", "arguments": {"city"', ': "Par', 'is"}}\n', "</tool_call>"],
    "#story": ["Once", " upon", " a time", " there", " was", " a gateway", ". "],
}
# The template says what was said, and lets the assistant begin right after the user's last word.
template = """{%- if tools %}{%- for tool in tools %}<tools>{{ tool | tojson }}</tools>
{% endfor %}For each function call return:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' and message.tool_calls %}
{%- for call in message.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}
{%- else %}<{{ message.role }}>{{ message.content }}
{%- endif %}
{%- endfor %}"""

tokens, kinds = ["<unk>", "<s>", "</s>"], [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
tokens += [f"<0x{byte:02X}>" for byte in range(256)]
kinds += [TokenType.BYTE] * 256
end = 2
following: dict[int, int] = {}


def add(text: str, kind: TokenType) -> int:
    tokens.append(text)
    kinds.append(kind)
    return len(tokens) - 1


for word, answer in chains.items():
    last = add(word, TokenType.USER_DEFINED)
    first = len(tokens)
    for piece in answer:
        token = add(piece.replace(" ", "▁"), TokenType.NORMAL)
        following[last] = token
        last = token
    following[last] = first if word == "#story" else end
# Any other word ends the answer.
for token in range(len(tokens)):
    following.setdefault(token, end)

embeddings = numpy.zeros((len(tokens), width), numpy.float16)
outputs = numpy.zeros((len(tokens), width), numpy.float16)
for token, after in following.items():
    embeddings[token, token] = 1
    outputs[after, token] = 1

writer = GGUFWriter(sys.argv[1], "llama")
writer.add_name("chain")
writer.add_file_type(LlamaFileType.MOSTLY_F16)
writer.add_context_length(8192)
writer.add_embedding_length(width)
writer.add_block_count(layers)
writer.add_feed_forward_length(hidden)
writer.add_head_count(heads)
writer.add_head_count_kv(heads)
writer.add_rope_dimension_count(width // heads)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_vocab_size(len(tokens))
writer.add_tokenizer_model("llama")
writer.add_tokenizer_pre("default")
writer.add_token_list(tokens)
writer.add_token_scores([-float(index) for index in range(len(tokens))])
writer.add_token_types(kinds)
writer.add_bos_token_id(1)
writer.add_eos_token_id(end)
writer.add_unk_token_id(0)
writer.add_add_bos_token(False)
writer.add_add_space_prefix(False)
writer.add_chat_template(template)
writer.add_tensor("token_embd.weight", embeddings)
writer.add_tensor("output_norm.weight", numpy.ones(width, numpy.float32))
writer.add_tensor("output.weight", outputs)
for layer in range(layers):
    for name in ["attn_norm", "ffn_norm"]:
        writer.add_tensor(f"blk.{layer}.{name}.weight", numpy.ones(width, numpy.float32))
    for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
        writer.add_tensor(f"blk.{layer}.{name}.weight", numpy.zeros((width, width), numpy.float16))
    for name, shape in {"ffn_gate": (hidden, width), "ffn_up": (hidden, width), "ffn_down": (width, hidden)}.items():
        writer.add_tensor(f"blk.{layer}.{name}.weight", numpy.zeros(shape, numpy.float16))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
