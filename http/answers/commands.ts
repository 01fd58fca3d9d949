import { z } from 'zod'
import { ignored } from '../message/ignored.ts'
import { statusAnswer } from './envelope.ts'

const message = z.string()

const switches = {
  isMonitoring: z.boolean(),
  autoTradingEnabled: z.boolean(),
  gridTradingEnabled: z.boolean(),
}
export const masterSwitch = statusAnswer(z.object({ message, ...switches }))
export const savedConfig = statusAnswer(
  z.object({
    message,
    ...switches,
    saved_count: z.int(),
    failed_count: z.int(),
    ignored,
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        'what the exits that were saved do not do as they stand together, in the words of a start: they are saved all the same; absent: nothing',
      ),
  }),
)
export const importedData = statusAnswer(z.object({ message, applied_count: z.int(), ...switches }))
export const initializedPositions = statusAnswer(
  z.object({
    success: z.boolean(),
    message,
    updated_count: z.int(),
    error_count: z.int(),
    ignored,
  }),
)
export const updatedHolding = statusAnswer(z.object({ message, ignored }))
export const stopProfitSwitch = statusAnswer(z.object({ message, enabled: z.boolean() }))
export const clearedRecords = statusAnswer(z.object({ message, removed: z.int() }))
