import { bodyFaults } from './bodies.ts';
import { connectionFaults } from './connections.ts';
import type { Fault } from './fault.ts';
import { pageFaults } from './pages.ts';
import { statusFaults } from './statuses.ts';

export const faults: readonly Fault[] = [...bodyFaults, ...statusFaults, ...pageFaults, ...connectionFaults];
