import { Navigate } from 'react-router';
import { Failed, Loading } from '../layout/states.tsx';
import { useSession } from '../session/use-session.ts';
import { useAnswered } from './use-first-steps.ts';

/** The start: the first steps for an admin of a gateway that has not answered yet, then usage; the Playground for everyone else. */
export function Home() {
  const { session, error } = useSession();
  const answered = useAnswered(false);
  if (session === undefined) return error ? <Failed error={error} /> : <Loading />;
  if (session?.role !== 'admin') return <Navigate to="/playground" replace />;
  if (answered === undefined) return <Loading />;
  return <Navigate to={answered ? '/usage' : '/start'} replace />;
}
