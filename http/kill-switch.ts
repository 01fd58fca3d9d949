import { z } from 'zod'
import { KILL_LEVELS } from '../src/domain/kill-level.ts'

const REASON_MAX = 200

/** Body of `POST …/kill-switch`. */
export const killSwitchBody = z.object({
  level: z.enum(KILL_LEVELS),
  reason: z.string().trim().max(REASON_MAX).default(''),
})
