-- What gateway.yaml says of projects. A project of which it says nothing has no row here.
CREATE TABLE project_settings (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
