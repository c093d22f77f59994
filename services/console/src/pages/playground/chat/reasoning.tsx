import classes from './answer-view.module.css';

/** The reasoning before an answer, closed until it is wanted. */
export function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  return (
    <details className={classes.reasoning}>
      <summary>{thinking ? 'Reasoning …' : 'Reasoning'}</summary>
      <p>{text || 'The provider does not show this reasoning.'}</p>
    </details>
  );
}
