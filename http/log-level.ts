import { z } from 'zod'
import { LOG_LEVELS } from '../src/domain/log-level.ts'

export const logLevelBody = z.object({ level: z.enum(LOG_LEVELS) })
/** Of the whole process, until its end: the next start has the configured one again. */
export const logLevelFields = z.object({
  level: z.enum(LOG_LEVELS).describe('of the whole process, until it ends'),
})
