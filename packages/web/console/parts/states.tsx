import { type UseQueryOptions, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { ApiFailure } from '../api.ts';
import { FAILURE, PARTS } from '../texts.ts';
import { Button, LinkButton } from './button.tsx';
import { Icon, type IconName, PageHeader } from './display.tsx';

interface ErrorStateProps {
  error: unknown;
  retry: () => void;
  busy?: boolean;
}

/** Replaces content that failed to load: says what happened and offers a retry. */
export function ErrorState({ error, retry, busy = false }: ErrorStateProps) {
  const failure = error instanceof ApiFailure ? error : null;
  return (
    <div className="grid gap-12 state" role="alert">
      <h2>{FAILURE.title}</h2>
      <p>{failure?.message ?? FAILURE.unknown}</p>
      {typeof failure?.requestId === 'string' && <p className="hint">Request {failure.requestId}</p>}
      <Button kind="quiet" busy={busy} onClick={retry} label={FAILURE.tryAgain} />
    </div>
  );
}

/** Placeholder rows. They appear with a delay, so that fast loads do not flicker. */
export const SkeletonRows = ({ rows = 4, title = false }: { rows?: number; title?: boolean }) => (
  <div className="grid gap-12 skeleton" role="status">
    <span className="sr">Loading</span>
    {title && <span className="skeleton-line skeleton-title" />}
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
      <span key={row} className="skeleton-line" />
    ))}
  </div>
);

// biome-ignore lint/suspicious/noExplicitAny: a query may select from its response, and only the result is read.
type Query<T> = UseQueryOptions<any, Error, T, any>;

interface LoadedProps<T> {
  query: Query<T>;
  /** Shown until the first data arrives; rows by default. */
  skeleton?: ReactNode;
  /** Above the skeleton and the error. */
  header?: ReactNode;
  children: (loaded: T) => ReactNode;
}

/** Loads a query, and renders its data, a skeleton, or its error. Loaded data stays visible during a refetch. */
export function Loaded<T>({ query, skeleton = <SkeletonRows />, header, children }: LoadedProps<T>) {
  const { data, isError, error, refetch, isFetching } = useQuery(query);
  if (data !== undefined) return children(data);
  return (
    <>
      {header}
      {isError ? <ErrorState error={error} retry={() => void refetch()} busy={isFetching} /> : skeleton}
    </>
  );
}

/** The error of the first query that failed, and a retry of all that did. Undefined if none has failed. */
export function errorOf(...queries: readonly UseQueryResult<unknown, Error>[]) {
  const failed = queries.filter(({ isError, data }) => isError && data === undefined);
  const retry = () => void Promise.all(failed.map(({ refetch }) => refetch()));
  const busy = failed.some(({ isFetching }) => isFetching);
  return failed[0] && <ErrorState error={failed[0].error} retry={retry} busy={busy} />;
}

interface LoadedPageProps<T> extends Omit<LoadedProps<T>, 'header'> {
  /** The heading while the data loads. Then the page has its own. */
  title: string;
  back: ComponentProps<typeof PageHeader>['back'];
}

/** A page whose heading needs its data. */
export const LoadedPage = <T,>({ title, back, ...loaded }: LoadedPageProps<T>) => (
  <Loaded {...loaded} header={<PageHeader title={title} back={back} />} />
);

/**
 * Waits for all queries of a page, so that its parts do not move each other as they arrive. One that fails holds up nothing while it
 * is retried: the parts show errors themselves.
 */
export function Together({ queries, children }: { queries: readonly Query<unknown>[]; children: ReactNode }) {
  const isPending = useQueries({
    // The parts poll.
    queries: queries.map((query) => ({ ...query, refetchInterval: false })),
    combine: (results) => results.some((each) => each.isPending && each.failureCount === 0),
  });
  // Stays true: a part that mounts starts its failed query again, which must not remove the part.
  const [isShown, setShown] = useState(!isPending);
  if (!isPending && !isShown) setShown(true);
  return isShown ? children : <SkeletonRows rows={8} />;
}

interface EmptyStateProps {
  title: string;
  /** Explains what will appear here and how. */
  children?: ReactNode;
  icon?: IconName;
  /** A button or a link. */
  action?: ReactNode;
}

export const EmptyState = ({ title, children, icon, action }: EmptyStateProps) => (
  <div className="grid gap-12 state">
    {icon !== undefined && <Icon name={icon} />}
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
);

interface EmptyListProps extends EmptyStateProps {
  /** The filters that are set. */
  search: object;
  /** Says that nothing matches the filters. */
  none: string;
}

/** In place of a list that has no rows, with a link that clears its filters. */
export const EmptyList = ({ search, none, ...empty }: EmptyListProps) =>
  Object.keys(search).length > 0 ? (
    <EmptyState
      icon="search"
      title={none}
      action={<LinkButton to="." search={{}} replace kind="quiet" label={PARTS.clearFilters} />}
    >
      {PARTS.noneLead}
    </EmptyState>
  ) : (
    <EmptyState {...empty} />
  );
