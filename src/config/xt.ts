import { z } from 'zod'
import { whole } from './fields.ts'

const ADDRESS = /^(?:([A-Za-z0-9.-]{1,253}):)?(\d{1,5})$/

/** `58700` or `127.0.0.1:58700`; undefined when it is neither. */
export function parseAddress(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const match = ADDRESS.exec(text)
  const port = Number(match?.[2])
  if (match === null || port < 1 || port > 65_535) return undefined
  return { host: match[1] ?? '127.0.0.1', port }
}

/** How the sidecar beside the real trading client is started or found. */
const sidecar = {
  python: z
    .string()
    .max(1_024)
    .default('')
    .describe('interpreter; empty = python on Windows, else python3'),
  xtquant_path: z
    .string()
    .max(1_024)
    .default('')
    .describe("folder that holds xtquant; empty = the terminal's own copy, else Python's"),
  attach: z
    .string()
    .refine((text) => text === '' || parseAddress(text) !== undefined, {
      error: 'must be a port or host:port of a sidecar started by hand',
    })
    .default('')
    .describe('a sidecar that was started by hand, as port or host:port; empty = our own'),
  token_file: z.string().max(1_024).default('').describe('its token; for attach'),
}

export const accountSidecar = z.strictObject(sidecar).prefault({})
export const marketSidecar = {
  ...sidecar,
  qmt_path: z
    .string()
    .max(1_024)
    .default('')
    .describe('whose copy of xtquant is used; empty = that of the first account'),
  quote_port: whole(
    { default: 0, min: 0, max: 65_535 },
    'quote port of the terminal; 0 = the first one found',
  ),
}

export type SidecarConfig = z.output<typeof accountSidecar>
