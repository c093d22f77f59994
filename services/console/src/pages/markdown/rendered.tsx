import { memo } from 'react';
import MarkdownBlock, { type Components, type ExtraProps } from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { CodeBlock } from '../layout/code-block.tsx';
import { BlockBoundary, PlainBlock } from './block-boundary.tsx';
import { Formula } from './formula.tsx';
import { withFormulaMarks } from './formula-marks.ts';
import classes from './markdown.module.css';
import { isParsable, limitHtml, limitMarkdown } from './nesting.ts';
import { safeAddress } from './safe-address.ts';
import { splitBlocks } from './split-blocks.ts';

/** A text in Markdown, rendered block by block. One that cannot be rendered is shown as it was written. */
export function Rendered({ text }: { text: string }) {
  return splitBlocks(text).map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a growing text changes its last block, and adds blocks after it
    <BlockBoundary key={at} text={block}>
      {isParsable(block) ? <Block text={block} /> : <PlainBlock text={block} />}
    </BlockBoundary>
  ));
}

/** A block of code under a label of its own. */
export function RenderedCode({ code, language, label }: { code: string; language: string; label: string }) {
  return (
    <CodeBlock label={label} code={code}>
      <BlockBoundary text={code}>
        <MarkdownBlock rehypePlugins={rehypePlugins} components={codeAlone}>
          {`${longFence}${language}\n${code}\n${longFence}`}
        </MarkdownBlock>
      </BlockBoundary>
    </CodeBlock>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <MarkdownBlock
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      urlTransform={safeAddress}
    >
      {withFormulaMarks(text)}
    </MarkdownBlock>
  );
});

const codeAlone: Components = { pre: ({ children }) => children };
const longFence = '`'.repeat(40);
const remarkPlugins = [remarkGfm, remarkMath, () => limitMarkdown];
// A language that the highlighter does not know is plain text.
const rehypePlugins = [rehypeHighlight, () => limitHtml];

type Element = NonNullable<ExtraProps['node']>;

const components: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) => {
    const label = `Image: ${alt || 'without a description'}`;
    if (typeof src !== 'string' || src === '') return <span>{label}</span>;
    return (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {label}
      </a>
    );
  },
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard
    <section className={classes.table} aria-label="Table, scrollable" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked} readOnly disabled aria-label="Task" />,
  code: ({ className, children, node }) => {
    if (className?.includes('language-math') && node) {
      return <Formula tex={textOf(node)} display={className.includes('math-display')} />;
    }
    return <code className={className}>{children}</code>;
  },
  pre: ({ children, node }) => {
    const [code] = node?.children ?? [];
    if (code?.type !== 'element') return <pre>{children}</pre>;
    const language = languageOf(code);
    if (language === 'math') return children;
    return (
      <CodeBlock label={language ?? 'code'} code={textOf(code).replace(/\n$/, '')}>
        {children}
      </CodeBlock>
    );
  },
};

function languageOf({ properties: { className } }: Element): string | undefined {
  const names = Array.isArray(className) ? className : [];
  return names.map(name => /^language-(.+)/.exec(String(name))?.[1]).find(Boolean);
}

function textOf({ children }: Element): string {
  return children
    .map(child => (child.type === 'element' ? textOf(child) : child.type === 'text' ? child.value : ''))
    .join('');
}
