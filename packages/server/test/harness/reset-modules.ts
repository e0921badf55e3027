import { vi } from 'vitest';

// Test files share a process and its loaded packages, but must not share the state of our own modules.
vi.resetModules();
