import { useIntersection } from '@mantine/hooks';
import { useRef } from 'react';
import { Markdown } from '../../markdown/markdown.tsx';
import classes from './answer-view.module.css';

/** A text in Markdown that is plain until it is near the screen, so that a long conversation opens quickly. */
export function SeenMarkdown({ text }: { text: string }) {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const seen = useRef(false);
  if (entry?.isIntersecting) seen.current = true;
  return (
    <div ref={ref}>{seen.current ? <Markdown text={text} /> : <p className={classes.prose}>{text}</p>}</div>
  );
}
