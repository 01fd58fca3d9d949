import { z } from 'zod'
import { RISK_NAMES, type RiskName, type RiskSection, riskRows } from '../domain/settings/risk.ts'
import { fieldOf } from './strategy.ts'

const fields = Object.fromEntries(RISK_NAMES.map((name) => [name, fieldOf(riskRows[name])])) as {
  [N in RiskName]: z.ZodPrefault<z.ZodType<RiskSection[N]>>
}

/** The section `risk` of the file. */
export const riskSchema = z.strictObject(fields).prefault({})
