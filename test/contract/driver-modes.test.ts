import t from 'tap'
import { openBigqmtRig } from '../drivers/bigqmt/rig.ts'
import { openForeignRig, openSilentGatewayRig } from '../drivers/gateway/rig.ts'
import { foundPythons } from '../drivers/xt/pythons.ts'
import { driverContract } from './driver.ts'

/** Drivers in modes that take their time. */
const MODES = {
  'a script that is reached over files': (folder: string) =>
    openBigqmtRig(folder, { transport: 'files' }),
  'a gateway without a stream': openSilentGatewayRig,
  'a gateway without keys': openForeignRig,
}

/** The full terminal has one of these inside; the other tests run on a younger one. */
const OLD_PYTHONS = [...foundPythons(6)].filter(([version]) => /^3\.[67]\./.test(version))

for (const [version, python] of OLD_PYTHONS) {
  t.test(`a script inside Python ${version}`, async (t) =>
    driverContract(t, () => openBigqmtRig(t.testdir(), { python })),
  )
}

for (const [name, open] of Object.entries(MODES)) {
  t.test(name, async (t) => driverContract(t, () => open(t.testdir())))
}
