import {
  ElButton,
  ElConfigProvider,
  ElDialog,
  ElDrawer,
  ElInput,
  ElProgress,
  ElSwitch,
} from 'element-plus'
import { createPinia } from 'pinia'
import { type Component, createApp } from 'vue'
import type { Router } from 'vue-router'
import { applyPrefs } from './prefs.ts'
import { keepShell } from './shell.ts'
import { i18n } from './texts.ts'
import 'element-plus/theme-chalk/base.css'
import 'element-plus/theme-chalk/dark/css-vars.css'
import 'element-plus/theme-chalk/el-button.css'
import 'element-plus/theme-chalk/el-overlay.css'
import 'element-plus/theme-chalk/el-dialog.css'
import 'element-plus/theme-chalk/el-drawer.css'
import 'element-plus/theme-chalk/el-input.css'
import 'element-plus/theme-chalk/el-progress.css'
import 'element-plus/theme-chalk/el-switch.css'

/** The components of Element Plus that the pages use, and no others: each costs bytes of the first load. */
const USED = [ElButton, ElConfigProvider, ElDialog, ElDrawer, ElInput, ElProgress, ElSwitch]

/** Shows a page in the document. */
export function mountPage(root: Component, router: Router): void {
  applyPrefs()
  const app = createApp(root)
  app.use(createPinia()).use(i18n).use(router)
  for (const component of USED) app.use(component)
  app.mount('#app')
  keepShell()
}
