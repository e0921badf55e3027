import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiFailure } from './failure.ts';
import { showToast } from './parts/toast-store.ts';
import { renew, type Topic } from './queries.ts';
import { FAILURE } from './texts/common.ts';

interface ActionOptions<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** Read again when it is done. */
  readonly topics?: readonly (Topic | string)[];
  /** Said when it is done. */
  readonly done?: string | ((output: Output, input: Input) => string);
  readonly onDone?: (output: Output, input: Input) => void;
  /** The page shows the failure itself, as a form does beside its fields; otherwise it is said. */
  readonly showsFailure?: boolean;
}

/** Something that a button does on the server: busy meanwhile, then said, with all that it changed read again. */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const queries = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    async onSuccess(output, input) {
      if (options.done !== undefined) {
        showToast({ text: typeof options.done === 'string' ? options.done : options.done(output, input) });
      }
      options.onDone?.(output, input);
      await Promise.all((options.topics ?? []).map((topic) => renew(queries, topic)));
    },
    onError(error) {
      if (options.showsFailure === true) return;
      showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    },
  });
}
