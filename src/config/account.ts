import { z } from 'zod'
import { ACCOUNT_TYPES } from '../domain/account-type.ts'
import { ACCOUNT_ID, isDevice, RESERVED_ACCOUNT_IDS } from '../domain/ids.ts'
import { nodeName } from './cluster.ts'
import { DRIVER_NAMES, DRIVER_TEXT, type DriverName, defaultDriver, having } from './drivers.ts'
import { decimal, filePath, whole } from './fields.ts'

const accountId = z
  .string()
  .regex(ACCOUNT_ID, {
    error: '须为 1 至 32 个字母、数字、"_" 或 "-" (must be 1 to 32 letters, digits, "_" or "-")',
  })
  .refine((id) => !RESERVED_ACCOUNT_IDS.has(id.toLowerCase()), {
    error:
      '这个名字是服务自己的文件夹，请换一个 (this name is reserved for a folder of the service)',
  })
  .refine((id) => !isDevice(id), {
    error:
      '这是 Windows 的设备名，那里不能有这样的文件夹，请换一个；以前用过的，数据仍在它的文件夹里，换名后先与交易客户端核对 (is the name of a device on Windows, where no folder can have it; choose another one. Of one that was used before the data stays in its folder, and the account compares with the trading client under its new name)',
  })

const ELIGIBLE_MAX = 100

/** What `POST /api/v1/accounts` takes, with the names, ranges and defaults of the file. */
export const registrationSchema = z.strictObject({
  account_id: accountId.describe(
    '账户编号，也是文件夹名，只用安全字符 (id of the account; names a folder, so it is kept to safe characters)',
  ),
  qmt_path: filePath(z.string().trim())
    .min(1)
    .max(1_024)
    .describe('交易客户端的数据目录 (data folder of the trading client)'),
  account_type: z.enum(ACCOUNT_TYPES).default('STOCK').describe('账户类型 (kind of account)'),
  call_timeout: decimal(
    { default: 3, min: 0.05, max: 600, unit: 'seconds' },
    '一次调用的时限 (time limit of one call to the trading client)',
  ),
  reconnect_interval: decimal(
    { default: 60, min: 0.05, max: 3_600, unit: 'seconds' },
    '首次重连前等待 (first wait before a reconnect)',
  ),
  max_reconnect_attempts: whole(
    { default: 5, min: 0, max: 20 },
    '重连等待逐次加长的次数 (steps by which the wait before a reconnect grows)',
  ),
  eligible: z
    .array(nodeName)
    .min(1)
    .max(ELIGIBLE_MAX)
    .refine((nodes) => new Set(nodes).size === nodes.length, {
      error: '节点不能重复 (must not repeat a node)',
    })
    .optional()
    .describe(
      '可以运行该账户的节点，默认为本节点；仅用于集群 (nodes that may run it, this one by default; in a cluster only)',
    ),
})

/** As all nodes of a cluster know it. */
export const sharedSchema = z.object({
  /** When it was registered, epoch ms: everywhere they follow each other in this order. */
  ord: z.number(),
  registration: registrationSchema,
})

/** Characters of a name that people give to an account. */
export const ALIAS_MAX = 20

/** One line that shows as it is written: nothing in it is invisible or turns the direction of reading. */
const alias = z
  .string()
  .trim()
  .refine((text) => [...text].length <= ALIAS_MAX, {
    error: `最多 ${ALIAS_MAX} 个字 (must have at most ${ALIAS_MAX} characters)`,
  })
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), {
    error: '不能有控制字符或看不见的字符 (must not have control or invisible characters)',
  })

export const accountSchema = z.strictObject({
  ...registrationSchema.shape,
  alias: alias
    .default('')
    .describe(
      `账户的称呼，显示在账号旁，最多 ${ALIAS_MAX} 个字 (what people call it, shown beside its number; up to ${ALIAS_MAX} characters)`,
    ),
  eligible: z
    .array(nodeName)
    .max(ELIGIBLE_MAX)
    .default([])
    .describe(
      '可以运行该账户的节点，各自要有已登录的交易客户端；仅用于集群 (nodes that may run it, each with a trading client that is logged in; in a cluster only)',
    ),
  driver: z.enum(DRIVER_NAMES).optional().describe(DRIVER_TEXT),
  ...having('account'),
})

export type ParsedAccount = z.output<typeof accountSchema>
/** One account, the driver decided. */
export type AccountConfig = Omit<ParsedAccount, 'driver'> & { readonly driver: DriverName }
/** The fields of `POST /api/v1/accounts`, defaults applied. */
export type Registration = Readonly<z.output<typeof registrationSchema>>

/** An account that was registered at run time, as all nodes of a cluster know it. */
export type SharedRegistration = Readonly<z.output<typeof sharedSchema>>

/** The configuration of an account that is registered at run time: the fields given, the rest as by default. */
export const registerDefaults = (
  registration: Registration,
  marketSource: string,
): AccountConfig => ({
  ...accountSchema.parse({ ...registration }),
  driver: defaultDriver(marketSource),
})
