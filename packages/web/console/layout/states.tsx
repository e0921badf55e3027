import type { Role } from '@foreword/contract';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { FAILURE, FRAME } from '../texts/common.ts';

/** While the page itself is on its way. */
export const PageSkeleton = () => <SkeletonRows title />;

/** A fault of ours in drawing the page, or its file did not come. */
export function PageFault({ reset }: ErrorComponentProps) {
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

export const PageMissing = () => (
  <>
    <PageHeader title={FRAME.notFound} lead={FRAME.notFoundLead} />
    <LinkButton to="/" kind="quiet">
      {FRAME.backToStart}
    </LinkButton>
  </>
);

export const PageNotYours = ({ needed }: { needed: Role }) => (
  <>
    <PageHeader title={FRAME.notYours(needed)} lead={FRAME.notYoursLead} />
    <LinkButton to="/" kind="quiet">
      {FRAME.backToStart}
    </LinkButton>
  </>
);
