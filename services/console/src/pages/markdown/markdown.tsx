import { lazy, Suspense, useDeferredValue } from 'react';
import classes from './markdown.module.css';

const Rendered = lazy(() => import('./rendered.tsx').then(({ Rendered }) => ({ default: Rendered })));

/**
 * A text in Markdown with tables, code and mathematics. It may grow: only its last part is rendered again, and less often if rendering
 * takes long. HTML in it is shown as text, images as links, and nothing is loaded from another host.
 */
export function Markdown({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<p className={classes.plain}>{text}</p>}>
        <Rendered text={shown} />
      </Suspense>
    </div>
  );
}

/** A block of code, highlighted, with its label and a button to copy it. */
export function HighlightedCode({
  code,
  language,
  label,
}: {
  code: string;
  language: string;
  label: string;
}) {
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<pre className={classes.plain}>{code}</pre>}>
        <RenderedCode code={code} language={language} label={label} />
      </Suspense>
    </div>
  );
}

const RenderedCode = lazy(() =>
  import('./rendered.tsx').then(({ RenderedCode }) => ({ default: RenderedCode })),
);
