import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@model-gateway/bus/testing';
import { stringify } from 'yaml';
import { findPython } from '../interop/python.ts';
import { Program } from './program.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The name of the model at every server. */
export const model = 'chain';

/** The Python with llama.cpp's server and LiteLLM, or the reason why there is none. */
export const python = await findPython(path('requirements.txt'));

/** The reason to skip the tests that need the Python; undefined if there is one. */
export const whyNoPython = 'missing' in python ? python.missing : undefined;

/** A folder with a small model as GGUF, whose answers are known. */
export class ModelFolder implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-upstreams-'));
  /** The file of the model. */
  readonly file = join(this.folder, 'chain.gguf');

  constructor() {
    execFileSync(pythonProgram(), ['-B', path('model.py'), this.file], { timeout: 60_000, stdio: 'pipe' });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts llama.cpp's server, for one kind of requests. */
export async function startLlamaCpp({ file }: ModelFolder, kind: 'chat' | 'embeddings'): Promise<Program> {
  const port = await freePort();
  const command = [pythonProgram(), '-B', path('llama_server.py'), file, String(port), kind] as const;
  return Program.start(command, { port, healthPath: '/health' });
}

/** Starts LiteLLM's proxy with the model of an OpenAI-compatible server. */
export async function startLiteLlm(
  { folder }: ModelFolder,
  upstream: Program,
  key: string,
): Promise<Program> {
  const port = await freePort();
  const config = join(folder, 'litellm.yaml');
  const params = { model: `openai/${model}`, api_base: `${upstream.url}/v1`, api_key: 'none' };
  writeFileSync(
    config,
    stringify({
      model_list: [{ model_name: model, litellm_params: params }],
      litellm_settings: { num_retries: 0, request_timeout: 100 },
      general_settings: { master_key: key },
    }),
  );
  const proxy = ['-c', 'from litellm import run_server; run_server()'] as const;
  const command = [
    pythonProgram(),
    ...proxy,
    '--config',
    config,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
  ] as const;
  return Program.start([...command, '--telemetry', 'False'], {
    port,
    healthPath: '/health/liveliness',
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
}

/** Ollama's template that does what the model's own does. */
const template = `{{- range .Tools }}<tools>{{ . }}</tools>
{{ end }}{{- range .Messages }}{{- if .ToolCalls }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ else }}<{{ .Role }}>{{ .Content }}{{ end }}{{- end }}`;

/** Starts Ollama with the model. */
export async function startOllama({ folder, file }: ModelFolder, program: string): Promise<Program> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const env = {
    HOME: folder,
    OLLAMA_HOST: host,
    OLLAMA_MODELS: join(folder, 'ollama'),
    OLLAMA_CONTEXT_LENGTH: '4096',
    OLLAMA_NO_CLOUD: '1',
  };
  const ollama = await Program.start([program, 'serve'], { port, healthPath: '/api/version', env });
  const modelfile = join(folder, 'Modelfile');
  writeFileSync(modelfile, `FROM ${file}\nTEMPLATE """${template}"""\n`);
  try {
    execFileSync(program, ['create', model, '-f', modelfile], {
      env: { ...process.env, ...env },
      timeout: 120_000,
      stdio: 'pipe',
    });
    return ollama;
  } catch (error) {
    await ollama[Symbol.asyncDispose]();
    throw error;
  }
}

function pythonProgram(): string {
  if ('missing' in python) throw new Error(python.missing);
  return python.python;
}
