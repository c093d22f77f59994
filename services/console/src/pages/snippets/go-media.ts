import { orFail, program, withGoFiles } from './go-program.ts';
import { literal, go as notation } from './literal.ts';
import { hasPlainText, speechFile } from './python.ts';
import type { Code, CodeRequest } from './request.ts';
import { secretVariable } from './secret.ts';

const path = 'github.com/openai/openai-go/v3';
const secret = `os.Getenv("${secretVariable}")`;

/** Writes a request of an operation other than a conversation in Go. */
export function goMedia(request: CodeRequest): Code {
  switch (request.format) {
    case 'embeddings':
      return typed(
        request,
        'Embeddings.New',
        'openai.EmbeddingNewParams',
        ['fmt'],
        `	for _, item := range response.Data {
		fmt.Println(item.Index, item.Embedding[:3])
	}`,
      );
    case 'moderations':
      return typed(
        request,
        'Moderations.New',
        'openai.ModerationNewParams',
        ['fmt'],
        `	for _, result := range response.Results {
		fmt.Println(result.Flagged, result.CategoryScores.RawJSON())
	}`,
      );
    case 'images':
      return typed(
        request,
        'Images.Generate',
        'openai.ImageGenerateParams',
        ['encoding/base64', 'fmt'],
        imageLines,
      );
    case 'speech':
      return typed(
        request,
        'Audio.Speech.New',
        'openai.AudioSpeechNewParams',
        ['io'],
        `	defer response.Body.Close()
	file, err := os.Create(${notation.text(speechFile(request))})
${orFail}
	defer file.Close()
	if _, err := io.Copy(file, response.Body); err != nil {
		log.Fatal(err)
	}`,
      );
    case 'transcriptions':
      return transcription(request);
    default:
      return rerank(request);
  }
}

const imageLines = `	image := response.Data[0]
	if image.B64JSON == "" {
		fmt.Println(image.URL)
		return
	}
	data, err := base64.StdEncoding.DecodeString(image.B64JSON)
${orFail}
	if err := os.WriteFile("image.png", data, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println("image.png")`;

function client({ baseUrl }: CodeRequest): string {
  return `	client := openai.NewClient(
		option.WithBaseURL(${notation.text(`${baseUrl}/v1`)}),
		option.WithAPIKey(${secret}),
	)`;
}

function typed(request: CodeRequest, method: string, params: string, imports: string[], lines: string): Code {
  const { body, files } = withGoFiles(request.body);
  return program(
    {
      imports: ['context', 'log', 'os', path, `${path}/option`, `${path}/packages/param`, ...imports],
      main: `${client(request)}
	response, err := client.${method}(context.Background(), param.Override[${params}](${literal(body, notation, 1)}))
${orFail}
${lines}`,
      install: `go get ${path}`,
    },
    files,
  );
}

const formFields: Record<string, (value: unknown) => string> = {
  model: value => `Model: ${notation.text(String(value))}`,
  language: value => `Language: openai.String(${notation.text(String(value))})`,
  prompt: value => `Prompt: openai.String(${notation.text(String(value))})`,
  temperature: value => `Temperature: openai.Float(${value})`,
  response_format: value => `ResponseFormat: ${notation.text(String(value))}`,
  timestamp_granularities: value =>
    `TimestampGranularities: []string{${(value as unknown[]).map(entry => notation.text(String(entry))).join(', ')}}`,
};

function transcription(request: CodeRequest): Code {
  const plain = hasPlainText(request);
  const fields = Object.entries(request.body).flatMap(([name, value]) => {
    const written = formFields[name]?.(value);
    return written === undefined ? [] : [`\t\t${written},\n`];
  });
  const more = plain ? ', option.WithResponseBodyInto(&text)' : '';
  return program({
    imports: ['context', 'fmt', 'log', 'os', path, `${path}/option`],
    main: `${client(request)}
	file, err := os.Open(${notation.text(String(request.body.file))})
${orFail}
	defer file.Close()
${plain ? '\tvar text string\n\t_, err =' : '\tresponse, err :='} client.Audio.Transcriptions.New(context.Background(), openai.AudioTranscriptionNewParams{
		File: file,
${fields.join('')}	}${more})
${orFail}
	fmt.Println(${plain ? 'text' : 'response.Text'})`,
    install: `go get ${path}`,
  });
}

function rerank({ baseUrl, path, body }: CodeRequest): Code {
  return program({
    imports: ['bytes', 'encoding/json', 'fmt', 'log', 'net/http', 'os'],
    main: `	body, err := json.Marshal(${literal(body, notation, 1)})
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
	}`,
  });
}
