import { notifications } from '@mantine/notifications';
import type { RunningInfo } from '@model-gateway/admin-api';
import { api } from '../api.ts';
import { AskFirst } from '../layout/record-form.tsx';
import { toProblem } from '../problem.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** A button that ends a request in flight. Absent for users who may not. */
export function EndRequest({
  request: { requestId, project, owner, model },
}: {
  request: Pick<RunningInfo, 'requestId' | 'project' | 'owner' | 'model'>;
}) {
  const { session } = useSession();
  if (!may(session, 'endRunning', { project, own: owner !== null && owner === session?.name })) return null;
  const end = async () => {
    try {
      await api.call('endRunning', { params: { id: requestId } });
    } catch (error) {
      if (toProblem(error).facts.status !== 404) throw error;
      notifications.show({ message: 'The request has already ended.' });
    }
  };
  return (
    <AskFirst label="End" question="End this request?" onConfirm={end}>
      The client gets an error, and the provider of {model || 'the model'} is disconnected. Output so far is
      charged. Request {requestId}.
    </AskFirst>
  );
}
