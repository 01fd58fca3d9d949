import type { JobKind } from '../../actors/jobs/job-kind.ts'

/** The table of kinds: name, schema of the input, and the worker file or function that does it. */
export const JOB_KINDS: readonly JobKind[] = []
