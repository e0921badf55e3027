import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state.tsx';
import { SkeletonRows } from './skeleton.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T, Error>;
  /** Shown until the first data arrives; rows by default. */
  skeleton?: ReactNode;
  children: (loaded: T) => ReactNode;
}

/** Renders a query's data, a skeleton, or its error. Loaded data stays visible during a refetch. */
export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  return skeleton ?? <SkeletonRows />;
}
