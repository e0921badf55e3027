import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { type ActionOptions, useAction } from '../queries.ts';
import { makeKey, useRetryKeys } from '../retry-keys.ts';
import { Button } from './button.tsx';
import { Confirm, FormDialog, UnsavedChanges } from './dialog.tsx';
import { type Controls, type FieldInfo, Fields, isSame, requireAll, tidy } from './form.tsx';

type ButtonProps = Omit<ComponentProps<typeof Button>, 'onClick'>;

interface ActionButtonProps<Output>
  extends ButtonProps,
    Pick<ActionOptions<void, Output>, 'run' | 'topics' | 'done' | 'onDone'> {}

/** A button that acts at once. */
export function ActionButton<Output>(props: ActionButtonProps<Output>) {
  const { run, topics, done, onDone, busy = false, ...button } = props;
  const action = useAction<void, Output>({ run, topics, done, onDone });
  return <Button kind="quiet" {...button} busy={busy || action.isPending} onClick={() => action.mutate()} />;
}

interface DialogButtonProps extends ButtonProps {
  /** Mounted while it is open, so that it starts anew each time. */
  dialog: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

type Results<Output> = Pick<ActionOptions<void, Output>, 'topics' | 'done'> & {
  /** Called once the dialog is closed. */
  readonly onDone?: ((output: Output) => void) | undefined;
};

/** For a dialog that has its own button. */
interface Opened {
  button: ButtonProps;
}

interface AskProps<Output> extends Omit<ComponentProps<typeof Confirm>, 'open' | 'run'>, Results<Output> {
  /** The key stays the same, so that a retry repeats the request. */
  run: (key: string) => Promise<Output>;
}

/** Asks before an action, and runs it. */
export function Ask<Output>({ run, topics, done, onDone, onClose, ...confirm }: AskProps<Output>) {
  const [key] = useState(makeKey);
  const action = useAction<void, Output>({
    ...{ run: () => run(key), topics, done, showsFailure: true },
    onDone(output) {
      onClose();
      onDone?.(output);
    },
  });
  return <Confirm {...confirm} onClose={onClose} run={action} />;
}

export const AskButton = <Output,>({ button, ...ask }: Omit<AskProps<Output>, 'onClose'> & Opened) => (
  <DialogButton {...button} dialog={(onClose) => <Ask {...ask} onClose={onClose} />} />
);

export interface FieldsDialogProps<Values extends object, Output>
  extends Omit<ComponentProps<typeof FormDialog>, 'action' | 'fields' | 'disabled' | 'onSubmit' | 'children'>,
    Results<Output> {
  /** A list may depend on the values. */
  list: readonly FieldInfo<Values>[] | ((values: Values) => readonly FieldInfo<Values>[]);
  initial: Values;
  /** Sends the values. The key stays the same while the values do, so that a retry repeats the request. */
  run: (values: Values, key: string) => Promise<Output>;
  /** Another dialog follows in its place. */
  staysOpen?: boolean;
  controls?: Controls<Values>;
  /** Whether these values cannot be sent. */
  isDisabled?: (values: Values) => boolean;
  /** Below the fields. */
  children?: (values: Values) => ReactNode;
}

/** A form in a dialog, with fields as data. It keeps the values while it stays mounted, until they are sent. */
export function FieldsDialog<Values extends object, Output>(props: FieldsDialogProps<Values, Output>) {
  const { list, run, topics, done, onDone, staysOpen, ...rest } = props;
  const { controls, isDisabled, children, initial: latest, ...dialog } = rest;
  const { onClose } = dialog;
  const [initial] = useState(latest);
  const [values, setValues] = useState(initial);
  const isSent = useRef(false);
  const keys = useRetryKeys();
  const fields = typeof list === 'function' ? list(values) : list;
  const action = useAction<void, Output>({
    async run() {
      requireAll(fields, values);
      return run({ ...values, ...tidy(fields, values) }, keys.of(values).key);
    },
    ...{ topics, done, showsFailure: true },
    onDone(output) {
      keys.done();
      isSent.current = true;
      setValues(initial);
      if (staysOpen !== true) onClose();
      onDone?.(output);
    },
  });
  const isDirty = fields.some(({ name }) => !isSame(values[name], initial[name]));
  const change = (some: Partial<Values>) => {
    isSent.current = false;
    setValues((before) => ({ ...before, ...some }));
  };
  return (
    <FormDialog
      {...dialog}
      isDirty={isDirty}
      action={action}
      fields={fields.map(({ name }) => name)}
      disabled={isDisabled?.(values) ?? false}
      onSubmit={() => action.mutate()}
    >
      <Fields
        list={fields}
        values={values}
        error={action.error}
        onChange={change}
        {...(controls !== undefined && { controls })}
      />
      {children?.(values)}
      <UnsavedChanges when={isDirty} isSent={isSent} />
    </FormDialog>
  );
}

export const FieldsButton = <Values extends object, Output>({
  button,
  ...dialog
}: Omit<FieldsDialogProps<Values, Output>, 'onClose'> & Opened) => (
  <DialogButton {...button} dialog={(onClose) => <FieldsDialog {...dialog} onClose={onClose} />} />
);
