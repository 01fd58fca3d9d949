import { z } from 'zod'
import { money, ratio, time } from '../../answers/envelope.ts'
import { ignored } from '../../message/ignored.ts'
import { gridAnswer, message, rates } from './shapes.ts'

export const defaults = gridAnswer({
  ...rates,
  duration_days: z.int(),
  max_investment: money,
})

const template = z
  .object({
    id: z.int(),
    template_name: z.string(),
    ...rates,
    duration_days: z.int(),
    max_investment_ratio: ratio,
    description: z.string(),
    is_default: z.int().describe('1 or 0'),
    usage_count: z.int(),
    last_used_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'GridTemplate' })
export const templates = gridAnswer({ templates: z.array(template), total: z.int() })
export const oneTemplate = gridAnswer({ template })
export const anyTemplate = gridAnswer({
  template: template.nullable(),
  message: message.optional(),
})
export const usedTemplate = gridAnswer({ template, message })
export const savedTemplate = gridAnswer({ template_id: z.int(), message, ignored })
export const messageOnly = gridAnswer({ message })
const riskTemplate = z
  .object({
    template_name: z.string(),
    ...rates,
    duration_days: z.int(),
    max_investment_ratio: ratio,
    description: z.string(),
  })
  .nullable()
export const riskTemplates = gridAnswer({
  templates: z.object({
    aggressive: riskTemplate,
    moderate: riskTemplate,
    conservative: riskTemplate,
  }),
})
