import type { Role } from '@foreword/contract';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Button, LinkButton } from '../parts/button.tsx';
import { SkeletonRows } from '../parts/loaded.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { FAILURE, FRAME } from '../texts/common.ts';

/** Shown while the page's script loads. */
export const PageSkeleton = () => <SkeletonRows title />;

/** Shown when rendering the page failed or its script did not load. */
export function PageError({ reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeader title={FAILURE.pageTitle} lead={FAILURE.pageLead} />
      <Button onClick={again}>{FAILURE.tryAgain}</Button>
    </>
  );
}

export const PageNotFound = () => (
  <>
    <PageHeader title={FRAME.notFound} lead={FRAME.notFoundLead} />
    <LinkButton to="/" kind="quiet">
      {FRAME.backToStart}
    </LinkButton>
  </>
);

export const PageNotAllowed = ({ needed }: { needed: Role }) => (
  <>
    <PageHeader title={FRAME.notAllowed(needed)} lead={FRAME.notAllowedLead(needed)} />
    <LinkButton to="/" kind="quiet">
      {FRAME.backToStart}
    </LinkButton>
  </>
);
