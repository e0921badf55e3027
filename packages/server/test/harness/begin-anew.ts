import { vi } from 'vitest';

// Files share a process, and with it the packages that are read; what our own modules remember is not to be shared.
vi.resetModules();
