import type { ReactNode } from 'react';

interface PhonePreviewProps {
  /** The accessible name. */
  label: string;
  /** A page of this service, shown at phone width. */
  src?: string;
  /** Content instead of `src`, such as a MessageBubble. */
  children?: ReactNode;
}

/** Shows how the content looks on the recipient's phone. */
export const PhonePreview = ({ label, src, children }: PhonePreviewProps) => (
  <div className="phone">
    <div className="phone-screen">{src === undefined ? children : <iframe title={label} src={src} />}</div>
  </div>
);

/** A received text message. */
export const MessageBubble = ({ children }: { children: ReactNode }) => <p className="bubble">{children}</p>;
