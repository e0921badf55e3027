/** Node's flags for the service, as in `npm start` and the Dockerfile (docs/self-hosting/reference.md, Memory). */
export const HEAP_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=40'];
