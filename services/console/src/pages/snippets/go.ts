import { withFiles } from './files.ts';
import {
  chatFields,
  configFields,
  messagesFields,
  responsesFields,
  structOf,
  transcriptionFields,
} from './go-structs.ts';
import { literal, go as notation } from './literal.ts';
import {
  type Code,
  type CodeFormat,
  type CodeRequest,
  flattened,
  hasPlainText,
  isStreamed,
  type Printing,
  printing,
  realtimeEvents,
  sdkFields,
  simpleText,
  speechFile,
  usedIn,
} from './request.ts';
import { secretVariable } from './shell.ts';

interface Sdk {
  name: string;
  path: string;
  /** The path of the base URL. */
  root: string;
}

const openai: Sdk = { name: 'openai', path: 'github.com/openai/openai-go/v3', root: '/v1' };
const anthropic: Sdk = { name: 'anthropic', path: 'github.com/anthropics/anthropic-sdk-go', root: '' };
const genai: Sdk = { name: 'genai', path: 'google.golang.org/genai', root: '' };
const secret = `os.Getenv("${secretVariable}")`;

/** The method that makes a request, the type of its parameters, and the lines that print what it returns. */
interface Template extends Printing {
  sdk: Sdk;
  service: string;
  params: string;
  /** The fields of a simple request, which is written in the types of the SDK; any other is the JSON of the API. */
  fields?: Parameters<typeof structOf>[1];
}

/** The lines that end the program if there is an error. */
const orFail = `	if err != nil {
		log.Fatal(err)
	}`;

const templates: Record<
  Exclude<CodeFormat, 'generate-content' | 'transcriptions' | 'rerank' | 'realtime'>,
  Template
> = {
  chat: {
    ...{ sdk: openai, service: 'Chat.Completions.New', params: 'openai.ChatCompletionNewParams' },
    fields: chatFields,
    stream: `		for _, choice := range stream.Current().Choices {
			fmt.Print(choice.Delta.Content)
?			for _, call := range choice.Delta.ToolCalls {
?				fmt.Print(call.Function.Name, " ", call.Function.Arguments)
?			}
		}`,
    whole: `!	fmt.Println(response.Choices[0].Message.Content)
?	message := response.Choices[0].Message
?	fmt.Println(message.Content)
?	for _, call := range message.ToolCalls {
?		fmt.Println(call.Function.Name, call.Function.Arguments)
?	}`,
  },
  responses: {
    ...{ sdk: openai, service: 'Responses.New', params: 'responses.ResponseNewParams' },
    fields: responsesFields,
    stream: `		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			fmt.Print(event.Delta)
?		case responses.ResponseOutputItemDoneEvent:
?			if call, isCall := event.Item.AsAny().(responses.ResponseFunctionToolCall); isCall {
?				fmt.Println(call.Name, call.Arguments)
?			}
		}`,
    whole: `	fmt.Println(response.OutputText())
?	for _, item := range response.Output {
?		if call, isCall := item.AsAny().(responses.ResponseFunctionToolCall); isCall {
?			fmt.Println(call.Name, call.Arguments)
?		}
?	}`,
  },
  messages: {
    ...{ sdk: anthropic, service: 'Messages.New', params: 'anthropic.MessageNewParams' },
    fields: messagesFields,
    stream: `		switch event := stream.Current().AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
!			fmt.Print(event.Delta.Text)
?			fmt.Print(event.Delta.Text, event.Delta.PartialJSON)
?		case anthropic.ContentBlockStartEvent:
?			fmt.Print(event.ContentBlock.Name)
		}`,
    whole: `	for _, block := range response.Content {
!		fmt.Println(block.Text)
?		fmt.Println(block.Text, block.Name, string(block.Input))
	}`,
  },
  embeddings: {
    ...{ sdk: openai, service: 'Embeddings.New', params: 'openai.EmbeddingNewParams' },
    whole: `	for _, item := range response.Data {
		fmt.Println(item.Index, item.Embedding[:3])
	}`,
  },
  moderations: {
    ...{ sdk: openai, service: 'Moderations.New', params: 'openai.ModerationNewParams' },
    whole: `	for _, result := range response.Results {
		fmt.Println(result.Flagged, result.CategoryScores.RawJSON())
	}`,
  },
  images: {
    ...{ sdk: openai, service: 'Images.Generate', params: 'openai.ImageGenerateParams' },
    whole: `	image := response.Data[0]
	if image.B64JSON == "" {
		fmt.Println(image.URL)
		return
	}
	data, err := base64.StdEncoding.DecodeString(image.B64JSON)
${orFail}
	if err := os.WriteFile("image.png", data, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println("image.png")`,
  },
  speech: {
    ...{ sdk: openai, service: 'Audio.Speech.New', params: 'openai.AudioSpeechNewParams' },
    whole: request => `	defer response.Body.Close()
	file, err := os.Create(${notation.text(speechFile(request))})
${orFail}
	defer file.Close()
	if _, err := io.Copy(file, response.Body); err != nil {
		log.Fatal(err)
	}`,
  },
};

/** Writes a request for the vendors' SDKs of Go. */
export function go(request: CodeRequest): Code {
  switch (request.format) {
    case 'generate-content':
      return generateContent(request);
    case 'transcriptions':
      return transcription(request);
    case 'rerank':
      return rerank(request);
    case 'realtime':
      return realtime(request);
    default:
      return written(request, templates[request.format]);
  }
}

function written(request: CodeRequest, template: Template): Code {
  const { sdk, service, params, fields } = template;
  const { body, files } = withFiles(sdkFields(request), encoded);
  const streamed = isStreamed(request);
  const { stream, ...sent } = body;
  const simple = files.length === 0 && fields ? structOf(sent, fields) : undefined;
  const argument = simple ? params + simple : `param.Override[${params}](${literal(sent, notation, 1)})`;
  const call = `client.${service}${streamed ? 'Streaming' : ''}(context.Background(), ${argument})`;
  const { lines } = printing(request, template);
  const main = streamed
    ? `	stream := ${call}
	for stream.Next() {
${lines}
	}
	if err := stream.Err(); err != nil {
		log.Fatal(err)
	}`
    : `	response, err := ${call}
${orFail}
${lines}`;
  return program(`${clientOf(request, sdk)}\n${main}`, sdk, files);
}

function clientOf({ baseUrl }: CodeRequest, { name, root }: Sdk): string {
  return `	client := ${name}.NewClient(
		option.WithBaseURL(${notation.text(baseUrl + root)}),
		option.WithAPIKey(${secret}),
	)`;
}

function encoded(name: string, before: string): string {
  const read = `base64File(${notation.text(name)})`;
  return before ? `${notation.text(before)} + ${read}` : read;
}

/** The packages of the standard library by their names in code. */
const standard: Record<string, string> = {
  ...{ bytes: 'bytes', context: 'context', base64: 'encoding/base64', json: 'encoding/json', fmt: 'fmt' },
  ...{ io: 'io', log: 'log', http: 'net/http', os: 'os' },
};

/** Writes a program from the lines of main. `files` are what it reads. */
function program(main: string, sdk?: Sdk, files: Code['files'] = []): Code {
  const functions = [...(/\bas\[/.test(main) ? [conversion] : []), ...(files.length > 0 ? [base64File] : [])];
  const body = [`func main() {\n${main}\n}`, ...functions].join('\n\n');
  const ofSdk: Record<string, string> = sdk
    ? {
        ...{ [sdk.name]: sdk.path, option: `${sdk.path}/option`, param: `${sdk.path}/packages/param` },
        ...{ responses: `${sdk.path}/responses`, realtime: `${sdk.path}/realtime` },
      }
    : {};
  const groups = [standard, ofSdk].map(packages =>
    usedIn(body, Object.keys(packages))
      .map(name => `\t"${packages[name]}"\n`)
      .sort()
      .join(''),
  );
  return {
    code: `package main\n\nimport (\n${groups.filter(Boolean).join('\n')})\n\n${body}`,
    install: sdk && `go get ${sdk.path}`,
    files,
  };
}

const base64File = `func base64File(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}`;

const conversion = `// as converts the JSON of the API to a type of the SDK.
func as[T any](value any) (typed T) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &typed)
	}
	if err != nil {
		log.Fatal(err)
	}
	return typed
}`;

function generateContent(request: CodeRequest): Code {
  const { body, files } = withFiles(request.body, encoded);
  const { contents, config } = flattened(body);
  const text = simpleText(contents);
  const asked =
    text === undefined
      ? `as[[]*genai.Content](${literal(contents, notation, 1)})`
      : `genai.Text(${notation.text(text)})`;
  const streamed = isStreamed(request);
  const method = `GenerateContent${streamed ? 'Stream' : ''}`;
  const call = `client.Models.${method}(ctx, ${notation.text(request.model)}, ${asked}, ${settingsOf(config)})`;
  const { lines } = printing(request, {
    stream: `		fmt.Print(response.Text())
?		for _, call := range response.FunctionCalls() {
?			fmt.Println(call.Name, call.Args)
?		}`,
    whole: `	fmt.Println(response.Text())
?	for _, call := range response.FunctionCalls() {
?		fmt.Println(call.Name, call.Args)
?	}`,
  });
  const main = streamed
    ? `	for response, err := range ${call} {
		if err != nil {
			log.Fatal(err)
		}
${lines}
	}`
    : `	response, err := ${call}
${orFail}
${lines}`;
  return program(
    `	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      ${secret},
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: ${notation.text(request.baseUrl)}},
	})
${orFail}
${main}`,
    genai,
    files,
  );
}

/** Writes a generate-content configuration. */
function settingsOf(config: Record<string, unknown>): string {
  if (Object.keys(config).length === 0) return 'nil';
  const simple = structOf(config, configFields);
  if (simple) return `&genai.GenerateContentConfig${simple}`;
  const system = config.systemInstruction;
  const wire =
    typeof system === 'string' ? { ...config, systemInstruction: { parts: [{ text: system }] } } : config;
  return `as[*genai.GenerateContentConfig](${literal(wire, notation, 1)})`;
}

function transcription(request: CodeRequest): Code {
  const { file, ...body } = request.body;
  const plain = hasPlainText(request);
  const known = Object.entries(body).filter(([name]) => transcriptionFields[name]);
  const fields = structOf(Object.fromEntries(known), transcriptionFields);
  return program(
    `${clientOf(request, openai)}
	file, err := os.Open(${notation.text(String(file))})
${orFail}
	defer file.Close()
${plain ? '\tvar text string\n\t_, err =' : '\tresponse, err :='} client.Audio.Transcriptions.New(context.Background(), openai.AudioTranscriptionNewParams${fields?.replace('{', '{\n\t\tFile: file,')}${plain ? ', option.WithResponseBodyInto(&text)' : ''})
${orFail}
	fmt.Println(${plain ? 'text' : 'response.Text'})`,
    openai,
  );
}

function rerank({ baseUrl, path, body }: CodeRequest): Code {
  return program(`	body, err := json.Marshal(${literal(body, notation, 1)})
${orFail}
	request, err := http.NewRequest("POST", ${notation.text(baseUrl + path)}, bytes.NewReader(body))
${orFail}
	request.Header.Set("Authorization", "Bearer "+${secret})
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
${orFail}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var answer struct {
		Results []struct {
			Index          int     \`json:"index"\`
			RelevanceScore float64 \`json:"relevance_score"\`
		} \`json:"results"\`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	for _, result := range answer.Results {
		fmt.Println(result.Index, result.RelevanceScore)
	}`);
}

function realtime(request: CodeRequest): Code {
  const { session, item } = realtimeEvents(request);
  const events = [
    { type: 'session.update', session },
    { type: 'conversation.item.create', item },
    { type: 'response.create' },
  ];
  return program(
    `	ctx := context.Background()
${clientOf(request, openai)}
	session, err := client.Realtime.Connect(ctx, realtime.RealtimeConnectionOptions{}, option.WithQuery("model", ${notation.text(request.model)}))
${orFail}
	defer session.Close()
	for _, event := range ${literal(events, notation, 1)} {
		data, err := json.Marshal(event)
		if err == nil {
			err = session.SendRaw(ctx, data)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	for {
		data, err := session.RecvRaw(ctx)
		if err != nil {
			log.Fatal(err)
		}
		var event struct {
			Type, Delta string
			Error       struct{ Message string }
		}
		if err := json.Unmarshal(data, &event); err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case "response.output_text.delta", "response.output_audio_transcript.delta":
			fmt.Print(event.Delta)
		case "error":
			log.Fatal(event.Error.Message)
		case "response.done":
			return
		}
	}`,
    openai,
  );
}
