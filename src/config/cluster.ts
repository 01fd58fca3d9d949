import { z } from 'zod'
import { filePath, whole } from './fields.ts'

/** Names subjects on the servers, and the private inbox of its user. */
export const nodeName = z.string().regex(/^[a-z0-9-]{1,32}$/, {
  error: '须为 1 至 32 个小写字母、数字或 "-" (must be 1 to 32 small letters, digits or "-")',
})

const SERVER = /^(nats|tls):\/\/([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(\d{1,5})$/
const PORT_MAX = 65_535

/** A message that begins with "must be" would show what was given, and that may hold a password. */
const server = z
  .string()
  .refine((text) => !text.includes('@'), {
    error:
      '含有用户名或密码，请改用 cluster.nkey_file 指明文件 (holds a user or a password; name a file in cluster.nkey_file instead)',
  })
  .refine((text) => text.includes('@') || isServer(text), {
    error:
      '须写成 "tls://host:4222"，不加密时 "nats://host:4222" (needs the form "tls://host:4222", or "nats://host:4222" without encryption)',
  })

function isServer(text: string): boolean {
  const port = Number(SERVER.exec(text)?.[3] ?? 0)
  return port > 0 && port <= PORT_MAX
}

const file = (text: string) => filePath().default('').describe(text)

/** Absent: one computer, and no server is asked for. */
export const clusterSchema = z
  .strictObject({
    node: nodeName.describe(
      '本机在集群中的名字，每台不同 (name of this computer in the cluster, each has its own)',
    ),
    role: z
      .enum(['node', 'gateway'])
      .default('node')
      .describe(
        'node 运行账户；gateway 只转达，不续约、不接管，用网关的服务器用户 (a “node” runs accounts; a “gateway” passes on what is asked, has no lease and takes nothing over, and needs no more rights at the servers than a gateway has)',
      ),
    servers: z
      .array(server)
      .min(1)
      .max(9)
      .describe(
        'NATS 服务器地址，全部列出 (addresses of the NATS servers, all of them: “tls://host:4222”)',
      ),
    replicas: whole(
      { default: 3, min: 1, max: 5 },
      '每条日志保存在几台服务器上，只有试用时用 1 (servers that keep each journal; 1 only to try it out)',
    ),
    nkey_file: file(
      '本机用户的 nkey 种子文件，只许本用户读取 (file with the nkey seed of the user of this computer, readable by this user only)',
    ),
    ca_file: file(
      '签发服务器证书的 CA，PEM 文件 (certificate of the CA of the servers, a file in PEM)',
    ),
    cert_file: file('本机证书 PEM 文件 (certificate of this computer, a file in PEM)'),
    key_file: file(
      '本机私钥 PEM 文件，只许本用户读取 (its key in PEM, readable by this user only)',
    ),
  })
  .optional()

export type ClusterConfig = NonNullable<z.output<typeof clusterSchema>>
