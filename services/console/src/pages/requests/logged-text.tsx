import { Button, Stack, Text } from '@mantine/core';
import type { LoggedRequestInfo } from '@model-gateway/admin-api';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { CodeBlock } from '../layout/code-block.tsx';
import { formatBytes, formatTime } from '../layout/format.ts';
import { Section } from '../layout/page.tsx';
import { AskFirst } from '../layout/record-form.tsx';
import { Failed } from '../layout/states.tsx';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** The text of a request and its answer, where the project logs them. It is read only when the user asks, since reading is audited. */
export function LoggedText({ id, project, running }: { id: string; project: string; running: boolean }) {
  const { session } = useSession();
  const read = useMutation({ mutationFn: () => api.call('showRequest', { params: { id } }) });
  if (!may(session, 'showRequest', { project })) return null;
  const remove = async () => {
    await api.call('deleteRequest', { params: { id } });
    read.reset();
  };
  const isMissing = toProblem(read.error).facts.status === 404;
  return (
    <Section
      title="Request log"
      actions={
        read.data &&
        may(session, 'deleteRequest', { project }) && (
          <AskFirst label="Delete the log" question="Delete the log of this request?" onConfirm={remove}>
            Deletes the texts of the request and its response. Usage and cost are kept.
          </AskFirst>
        )
      }
    >
      {read.data ? (
        <Texts logged={read.data} />
      ) : (
        <Stack gap="xs" align="flex-start">
          <Text size="sm" c="dimmed">
            {running
              ? 'Texts are stored when the request ends, if its project has request logging.'
              : 'Texts are stored if the project has request logging. Reading them is recorded in the audit log.'}
          </Text>
          {read.error && isMissing && (
            <Text size="sm" role="status">
              No log of this request: request logging is off for the project, the request was not sampled, or
              the log was deleted or has expired.
            </Text>
          )}
          {read.error && !isMissing && <Failed error={read.error} />}
          {!running && (
            <Button
              size="compact-sm"
              variant="default"
              loading={read.isPending}
              onClick={() => read.mutate()}
            >
              Show the log
            </Button>
          )}
        </Stack>
      )}
    </Section>
  );
}

function Texts({ logged: { request, response, expiresAt } }: { logged: LoggedRequestInfo }) {
  return (
    <Stack gap="sm">
      <LoggedPart label="Request" part={request} />
      <LoggedPart label="Response" part={response} />
      <Text size="xs" c="dimmed">
        Secrets are redacted. The log is deleted after {formatTime(expiresAt)}.
      </Text>
    </Stack>
  );
}

function LoggedPart({
  label,
  part: { text, bytes, cut },
}: {
  label: string;
  part: LoggedRequestInfo['request'];
}) {
  return (
    <>
      <CodeBlock label={label} code={indented(text)} />
      {cut && (
        <Text size="xs" c="dimmed">
          Truncated from {formatBytes(bytes)}.
        </Text>
      )}
    </>
  );
}

/** Writes JSON over several lines. Other texts, such as events, stay as they are. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
