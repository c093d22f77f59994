import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A field for a secret that is hidden until its button is pressed, also by the keyboard. `noun` names it: `password`. */
export function SecretInput({ noun, ...field }: PasswordInputProps & { noun: string }) {
  return (
    <PasswordInput
      visibilityToggleButtonProps={{
        'aria-label': `Show or hide the ${noun}`,
        'aria-hidden': false,
        tabIndex: 0,
      }}
      {...field}
    />
  );
}
