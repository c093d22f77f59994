export interface paths {
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate an answer to a conversation
         * @description The model may be of any provider. Fields that are not listed are passed on to upstreams that speak this format.
         */
        post: operations["createChatCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete a text (legacy) */
        post: operations["createCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate the next message of a conversation
         * @description The model may be of any provider. Fields that are not listed are passed on to upstreams that speak this format.
         */
        post: operations["createMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count the input tokens of a conversation */
        post: operations["countMessageTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a response
         * @description Also over a WebSocket at the same path. The model may be of any provider. Either `input` or `prompt` is required. The response is stored unless `store` is false.
         */
        post: operations["createResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count the input tokens of a response */
        post: operations["countResponseTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace a conversation by a summary */
        post: operations["compactResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a stored response, or follow its events */
        get: operations["showResponse"];
        put?: never;
        post?: never;
        /** Delete a stored response */
        delete: operations["deleteResponse"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}/input_items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the input items of a stored response */
        get: operations["listResponseItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a response that runs in the background */
        post: operations["cancelResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a conversation */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a conversation */
        get: operations["showConversation"];
        put?: never;
        /** Change the metadata of a conversation */
        post: operations["changeConversation"];
        /** Delete a conversation */
        delete: operations["deleteConversation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the items of a conversation */
        get: operations["listConversationItems"];
        put?: never;
        /** Add items to a conversation */
        post: operations["addConversationItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/items/{item}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an item of a conversation */
        get: operations["showConversationItem"];
        put?: never;
        post?: never;
        /** Delete an item of a conversation */
        delete: operations["deleteConversationItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}:generateContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate content
         * @description The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.
         */
        post: operations["generateContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}:streamGenerateContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate content as a stream
         * @description The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.
         */
        post: operations["streamGenerateContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}:countTokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count the tokens of contents
         * @description The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.
         */
        post: operations["countContentTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}:embedContent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Embed a content
         * @description The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.
         */
        post: operations["embedContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}:batchEmbedContents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Embed several contents
         * @description The path may also begin with `/v1` or `/v1alpha`. Field names may be in camelCase or snake_case. The model may be of any provider.
         */
        post: operations["batchEmbedContents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Embed texts */
        post: operations["createEmbedding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rank documents by their relevance to a query */
        post: operations["rerank"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rank documents by their relevance to a query
         * @description The path of clients of Cohere's v2 API.
         */
        post: operations["rerankSecondVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rerank": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rank documents by their relevance to a query
         * @description The path of some clients of text-embeddings-inference and vLLM.
         */
        post: operations["rerankWithoutVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generate images from a prompt */
        post: operations["createImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/edits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Edit images */
        post: operations["editImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/images/variations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generate variations of an image */
        post: operations["varyImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/speech": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Speak a text */
        post: operations["createSpeech"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/transcriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transcribe audio
         * @description Lists are repeated fields, such as `include[]`.
         */
        post: operations["createTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Transcribe audio, translated into English */
        post: operations["createTranslation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a session over a WebSocket
         * @description The request must upgrade to a WebSocket; otherwise the error has the status 426. Browsers send the token as the subprotocol `openai-insecure-api-key.<token>`. Events are those of OpenAI, for models of any provider.
         */
        get: operations["openRealtimeSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realtime/client_secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a secret with which a browser can open a session */
        post: operations["createRealtimeSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that the token may use
         * @description The response is in the format of the client: messages with `x-api-key` or `anthropic-version`, generate content with `x-goog-api-key`, else chat.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a model that the token may use
         * @description The response is in the format of the client: messages with `x-api-key` or `anthropic-version`, generate content with `x-goog-api-key`, else chat.
         */
        get: operations["showModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models that the token may use, in the format of generate content */
        get: operations["listContentModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a model that the token may use, in the format of generate content */
        get: operations["showContentModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens that are not revoked, newest first
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token, or import one by the SHA-256 of its secret
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a token without its secret
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["showToken"];
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        /**
         * Change a token: its name, owner, expiry, scopes, limits, budget or tags; disable or enable it
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns.
         */
        patch: operations["changeToken"];
        trace?: never;
    };
    "/api/v1/tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a token a new secret
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the token of the caller, and the models that it may use */
        get: operations["showOwnToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects, with the settings in force
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a project, with the settings in force
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["showProject"];
        /**
         * Set all settings of a project, which is created if its name is new
         * @description Roles: `admin`.
         */
        put: operations["setProject"];
        post?: never;
        /**
         * Delete a project that has no tokens
         * @description Roles: `admin`.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users, with the settings in force
         * @description Roles: `admin`.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a user, with the settings in force
         * @description Roles: `admin`.
         */
        get: operations["showUser"];
        /**
         * Set all settings of a user, who is created if the name is new
         * @description Roles: `admin`.
         */
        put: operations["setUser"];
        post?: never;
        /**
         * Delete a user who owns no tokens
         * @description Roles: `admin`.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts in the usage ledger, newest first
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the attempts in the usage ledger, oldest first, as CSV or as lines of JSON
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["exportUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/rejected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the usage records that the ledger cannot hold, newest first
         * @description Roles: `admin`.
         */
        get: operations["listRejected"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum the usage of charged attempts
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["totalUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the logged requests without their texts, newest first
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a logged request with its texts, and its attempts in the usage ledger
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        get: operations["showRequest"];
        put?: never;
        post?: never;
        /**
         * Delete the texts of a logged request
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        delete: operations["deleteRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show which targets and keys serve, rest or are probed, why, and since when
         * @description Roles: `admin`.
         */
        get: operations["showHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/running-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests in flight at all processes, oldest first
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listRunning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/running-requests/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the requests in flight as server-sent events: started, changed, ended, and missed for changes that were left out
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns, `viewer` in the projects in which the caller has the role.
         */
        get: operations["followRunning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/running-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a request in flight or a realtime session: its client gets an error
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` for tokens that the caller owns.
         */
        delete: operations["endRunning"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the providers in force, without secrets: those of gateway.yaml, then those of the API
         * @description Roles: `admin`.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a provider without its secrets
         * @description Roles: `admin`.
         */
        get: operations["showProvider"];
        /**
         * Set all settings of a provider, which is created if its name is new
         * @description Roles: `admin`.
         */
        put: operations["setProvider"];
        post?: never;
        /**
         * Delete a provider that no model uses
         * @description Roles: `admin`.
         */
        delete: operations["deleteProvider"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a provider: a worker sends it a tiny request
         * @description Roles: `admin`.
         */
        post: operations["testProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models in force: those of gateway.yaml, then those of the API
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listCatalogModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a model
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["showCatalogModel"];
        /**
         * Set all settings of a model, which is created if its name is new
         * @description Roles: `admin`.
         */
        put: operations["setModel"];
        post?: never;
        /**
         * Delete a model that no other model names as a fallback
         * @description Roles: `admin`.
         */
        delete: operations["deleteModel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/models/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a model: a worker sends each of its targets a tiny request
         * @description Roles: `admin`.
         */
        post: operations["testModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the prices of the models at their targets, and where each is stated
         * @description Roles: `admin`.
         */
        get: operations["showPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show everything in force in the form of gateway.yaml, without secrets
         * @description Roles: `admin`.
         */
        get: operations["showCatalog"];
        /**
         * Make the API's entries equal to a document in the form of gateway.yaml, or show the differences
         * @description Roles: `admin`.
         */
        put: operations["applyCatalog"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the settings of control, without secrets
         * @description Roles: `admin`.
         */
        get: operations["showSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the caller, with role and projects */
        get: operations["showSession"];
        put?: never;
        /** Sign in by password; the cookie of the response is the session */
        post: operations["signIn"];
        /** Sign out: end the session */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the ways in which users may sign in */
        get: operations["showSignInWays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign in by OpenID Connect: go to the provider */
        get: operations["startOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Return from the OpenID provider; the cookie of the response is the session */
        get: operations["finishOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/command": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask a user who has signed in at the OpenID provider whether the command may act for them */
        get: operations["showCommandSignIn"];
        put?: never;
        /** Confirm it: the browser brings a code to the command */
        post: operations["confirmCommandSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in the command by its code; the cookie of the response is the session */
        post: operations["finishCommandSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the own password, and end the user's other sessions */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{name}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a user's login and sessions; disable the user's tokens if that is wanted
         * @description Roles: `admin`.
         */
        delete: operations["removeLogin"];
        options?: never;
        head?: never;
        /**
         * Change the way in which a user signs in: email address, role of an admin; disable or enable it
         * @description Roles: `admin`.
         */
        patch: operations["changeLogin"];
        trace?: never;
    };
    "/api/v1/users/{name}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set or make a user's password, and end the user's sessions
         * @description Roles: `admin`.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{name}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users who have a role in a project
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{name}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the role of a user in a project
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role, `member` in the projects in which the caller has the role, `viewer` in the projects in which the caller has the role.
         */
        get: operations["showMember"];
        /**
         * Give a user a role in a project, or another one
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        put: operations["setMember"];
        post?: never;
        /**
         * Take the role in a project from a user; disable the user's tokens in it if that is wanted
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the service accounts that are not revoked, newest first
         * @description Roles: `admin`.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create a service account with a token
         * @description Roles: `admin`.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a service account without its token
         * @description Roles: `admin`.
         */
        get: operations["showAccount"];
        put?: never;
        post?: never;
        /**
         * Revoke a service account
         * @description Roles: `admin`.
         */
        delete: operations["revokeAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a service account a new token in place of the old one
         * @description Roles: `admin`.
         */
        post: operations["rotateAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the administrative acts, newest first
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the administrative acts, oldest first, as CSV or as lines of JSON
         * @description Roles: `admin`, `manager` in the projects in which the caller has the role.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/diagnostics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the installation: NATS, the database, clocks, versions, workers and providers, with advice for each finding
         * @description Roles: `admin`.
         */
        get: operations["showDiagnostics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ChatCompletionRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            messages: components["schemas"]["ChatMessage"][];
            stream?: boolean | null;
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            temperature?: number | null;
            top_p?: number | null;
            n?: number | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            reasoning_effort?: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max") | null;
            max_tokens?: number | null;
            max_completion_tokens?: number | null;
            top_logprobs?: number | null;
            seed?: number | null;
            user?: string | null;
            stop?: (string | string[]) | null;
            modalities?: string[] | null;
            tools?: Record<string, never>[] | null;
            tool_choice?: string | Record<string, never> | null;
            logit_bias?: Record<string, never> | null;
            response_format?: Record<string, never> | null;
            audio?: Record<string, never> | null;
            functions?: ({
                name: string;
                description?: string | null;
                parameters?: Record<string, never> | null;
                strict?: boolean | null;
                cache_control?: ({
                    ttl?: ("5m" | "1h") | null;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            })[] | null;
            function_call?: (("none" | "auto") | ({
                name: string;
            } & {
                [key: string]: unknown;
            })) | null;
            parallel_tool_calls?: boolean | null;
            web_search_options?: ({
                user_location?: {
                    approximate: {
                        city?: string;
                        country?: string;
                        region?: string;
                        timezone?: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            logprobs?: boolean | null;
            top_k?: number | null;
            metadata?: {
                [key: string]: string;
            } | null;
            verbosity?: string | null;
            service_tier?: string | null;
            safety_identifier?: string | null;
        } & {
            [key: string]: unknown;
        };
        ChatMessage: ({
            /** @constant */
            role: "developer";
            content: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            role: "system";
            content: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            role: "user";
            content: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            role: "assistant";
            content?: (string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[]) | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            role: "tool";
            content: string | ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            tool_call_id: string;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            role: "function";
            content: string | null;
            name: string;
        } & {
            [key: string]: unknown;
        });
        ChatCompletion: {
            id?: string;
            object?: string;
            /** @description Seconds since 1970. */
            created?: number;
            model?: string;
            choices: ({
                index?: number;
                finish_reason?: string | null;
                message: {
                    role?: string;
                    content?: string | null;
                    tool_calls?: {
                        [key: string]: unknown;
                    }[] | null;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            usage?: ({
                prompt_tokens?: number;
                completion_tokens?: number;
                total_tokens?: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        CompletionRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            prompt: components["schemas"]["CompletionPrompt"];
            stream?: boolean | null;
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            max_tokens?: number | null;
            temperature?: number | null;
            top_p?: number | null;
            n?: number | null;
            best_of?: number | null;
            /** @description True if the returned text begins with the prompt. */
            echo?: boolean | null;
            /** @description Text after the completion. */
            suffix?: string | null;
            /** @description Number of alternatives to return for each token. */
            logprobs?: number | null;
            stop?: (string | string[]) | null;
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            logit_bias?: {
                [key: string]: number;
            } | null;
            seed?: number | null;
            user?: string | null;
        } & {
            [key: string]: unknown;
        };
        CompletionPrompt: string | string[] | number[] | number[][];
        Completion: {
            id?: string;
            object?: string;
            /** @description Seconds since 1970. */
            created?: number;
            model?: string;
            choices: ({
                index?: number;
                text: string;
                finish_reason?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            usage?: ({
                prompt_tokens?: number;
                completion_tokens?: number;
                total_tokens?: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        MessagesRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            messages: components["schemas"]["MessagesTurn"][];
            system?: (string | components["schemas"]["MessagesBlock"][]) | null;
            tools?: Record<string, never>[] | null;
            tool_choice?: ({
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            thinking?: ({
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            output_config?: Record<string, never> | null;
            output_format?: Record<string, never> | null;
            cache_control?: Record<string, never> | null;
            max_tokens: number;
            temperature?: number | null;
            top_p?: number | null;
            top_k?: number | null;
            stream?: boolean | null;
            stop_sequences?: string[] | null;
            metadata?: ({
                user_id?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            service_tier?: string | null;
        } & {
            [key: string]: unknown;
        };
        MessagesCountRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            messages: components["schemas"]["MessagesTurn"][];
            system?: (string | components["schemas"]["MessagesBlock"][]) | null;
            tools?: Record<string, never>[] | null;
            tool_choice?: ({
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            thinking?: ({
                type: string;
            } & {
                [key: string]: unknown;
            }) | null;
            output_config?: Record<string, never> | null;
            output_format?: Record<string, never> | null;
            cache_control?: Record<string, never> | null;
        } & {
            [key: string]: unknown;
        };
        MessagesTurn: {
            /** @enum {string} */
            role: "user" | "assistant" | "system";
            content: string | components["schemas"]["MessagesBlock"][];
        } & {
            [key: string]: unknown;
        };
        MessagesBlock: {
            type: string;
        } & {
            [key: string]: unknown;
        };
        Message: {
            id?: string;
            type?: string;
            role?: string;
            model?: string;
            content: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            stop_reason?: string | null;
            usage?: ({
                input_tokens?: number;
                output_tokens?: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        ResponsesRequest: {
            /** @description Optional only if a stored `prompt` names the model. */
            model: string;
            input?: (string | Record<string, never>[]) | null;
            instructions?: string | null;
            stream?: boolean | null;
            stream_options?: ({
                include_obfuscation?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            previous_response_id?: string | null;
            conversation?: (string | ({
                id: string;
            } & {
                [key: string]: unknown;
            })) | null;
            store?: boolean | null;
            background?: boolean | null;
            tools?: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            tool_choice?: string | Record<string, never> | null;
            parallel_tool_calls?: boolean | null;
            max_tool_calls?: number | null;
            max_output_tokens?: number | null;
            temperature?: number | null;
            top_p?: number | null;
            top_logprobs?: number | null;
            /** @description Not in OpenAI's API, but in Open Responses. */
            presence_penalty?: number | null;
            frequency_penalty?: number | null;
            reasoning?: Record<string, never> | null;
            text?: Record<string, never> | null;
            include?: string[] | null;
            metadata?: components["schemas"]["ResponsesMetadata"] | null;
            prompt?: Record<string, never> | null;
            prompt_cache_key?: string | null;
            safety_identifier?: string | null;
            user?: string | null;
            service_tier?: string | null;
            truncation?: ("auto" | "disabled") | null;
            context_management?: Record<string, never>[] | null;
        } & {
            [key: string]: unknown;
        };
        ResponsesMetadata: {
            [key: string]: string;
        };
        Response: {
            id: string;
            object?: string;
            status?: string | null;
            output?: ({
                type?: string;
            } & {
                [key: string]: unknown;
            })[];
            usage?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        GenerateContentRequest: {
            model?: string | null;
            contents: ({
                role?: string | null;
                parts: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            })[];
            systemInstruction?: ({
                [key: string]: unknown;
            } | string) | null;
            tools?: {
                [key: string]: unknown;
            }[] | null;
            toolConfig?: {
                [key: string]: unknown;
            } | null;
            safetySettings?: {
                [key: string]: unknown;
            }[] | null;
            generationConfig?: components["schemas"]["GenerationConfig"] | null;
            cachedContent?: string | null;
            serviceTier?: string | null;
            labels?: {
                [key: string]: unknown;
            } | null;
            continuationToken?: string | null;
        } & {
            [key: string]: unknown;
        };
        GenerateContentCountRequest: {
            contents?: ({
                role?: string | null;
                parts: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            })[] | null;
            generateContentRequest?: ({
                model?: string | null;
                contents: ({
                    role?: string | null;
                    parts: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                })[];
                systemInstruction?: ({
                    [key: string]: unknown;
                } | string) | null;
                tools?: {
                    [key: string]: unknown;
                }[] | null;
                toolConfig?: {
                    [key: string]: unknown;
                } | null;
                safetySettings?: {
                    [key: string]: unknown;
                }[] | null;
                generationConfig?: components["schemas"]["GenerationConfig"] | null;
                cachedContent?: string | null;
                serviceTier?: string | null;
                labels?: {
                    [key: string]: unknown;
                } | null;
                continuationToken?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        GenerationConfig: {
            candidateCount?: number | null;
            stopSequences?: string[] | null;
            maxOutputTokens?: number | null;
            temperature?: number | null;
            topP?: number | null;
            topK?: number | null;
            seed?: number | null;
            presencePenalty?: number | null;
            frequencyPenalty?: number | null;
            responseLogprobs?: boolean | null;
            /** @description Number of alternatives to return for each token. */
            logprobs?: number | null;
            responseMimeType?: string | null;
            /** @description Schema in Google's own dialect. */
            responseSchema?: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema, under its current and its older name. */
            responseJsonSchema?: unknown;
            _responseJsonSchema?: unknown;
            responseModalities?: string[] | null;
            speechConfig?: {
                [key: string]: unknown;
            } | null;
            thinkingConfig?: components["schemas"]["ThinkingConfig"] | null;
            mediaResolution?: string | null;
            imageConfig?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        ThinkingConfig: {
            includeThoughts?: boolean | null;
            thinkingBudget?: number | null;
            thinkingLevel?: string | null;
        } & {
            [key: string]: unknown;
        };
        GeneratedContent: {
            candidates?: ({
                index?: number;
                content?: {
                    role?: string;
                    parts?: ({
                        text?: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                } & {
                    [key: string]: unknown;
                };
                finishReason?: string;
            } & {
                [key: string]: unknown;
            })[];
            usageMetadata?: {
                [key: string]: unknown;
            };
            modelVersion?: string;
            responseId?: string;
        } & {
            [key: string]: unknown;
        };
        EmbedContentRequest: {
            /** @description Repeats the model name of the path, after `models/`. */
            model?: string | null;
            content: {
                role?: string | null;
                /** @description Texts; some models accept media too. */
                parts: ({
                    text?: string | null;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            };
            /** @description Purpose of the vector: `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT`, … */
            taskType?: string | null;
            /** @description Title of a document. */
            title?: string | null;
            /** @description Numbers per vector. */
            outputDimensionality?: number | null;
        } & {
            [key: string]: unknown;
        };
        BatchEmbedContentsRequest: {
            requests: components["schemas"]["EmbedContentRequest"][];
        } & {
            [key: string]: unknown;
        };
        EmbeddingsRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            /** @description A text or several, or the token ids of one or several. */
            input: string | string[] | number[] | number[][];
            /** @description Numbers per vector. */
            dimensions?: number | null;
            /** @description Numbers, or base64 of little-endian 32-bit floats. */
            encoding_format?: ("float" | "base64") | null;
            user?: string | null;
            /** @description Purpose of the vectors in the terms of Cohere, Voyage and others: `query`, `search_document`, … */
            input_type?: string | null;
            /** @description Purpose of the vectors in Jina's terms: `retrieval.query`, `text-matching`, … */
            task?: string | null;
            /** @description True if an input that is too long is truncated; or Cohere's strings: `NONE`, `START`, `END`. */
            truncate?: boolean | string | null;
        } & {
            [key: string]: unknown;
        };
        RerankRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            query: string;
            /** @description Texts, or objects with a text in `text` or in the `rank_fields`. */
            documents: (string | {
                [key: string]: unknown;
            })[];
            /** @description Number of best documents to return; 0 for all. */
            top_n?: number | null;
            /** @description True if the response includes the documents. */
            return_documents?: boolean | null;
            /** @description Fields to rank of a document that is an object, in this order. Default: `text`. */
            rank_fields?: string[] | null;
            /** @description The most tokens read of each document. */
            max_tokens_per_doc?: number | null;
        } & {
            [key: string]: unknown;
        };
        ImageGenerationRequest: {
            prompt: string;
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            n?: number | null;
            size?: string | null;
            response_format?: ("url" | "b64_json") | null;
            user?: string | null;
            quality?: ("auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd") | null;
            output_format?: ("png" | "jpeg" | "webp" | "gif" | "svg") | null;
            output_compression?: number | null;
            background?: ("transparent" | "opaque" | "auto") | null;
            moderation?: ("low" | "auto") | null;
            stream?: boolean | null;
            partial_images?: number | null;
            safety_identifier?: string | null;
            style?: ("vivid" | "natural") | null;
        } & {
            [key: string]: unknown;
        };
        ImageEditRequest: {
            prompt: string;
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            n?: number | null;
            size?: string | null;
            response_format?: ("url" | "b64_json") | null;
            user?: string | null;
            quality?: ("auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd") | null;
            output_format?: ("png" | "jpeg" | "webp" | "gif" | "svg") | null;
            output_compression?: number | null;
            background?: ("transparent" | "opaque" | "auto") | null;
            moderation?: ("low" | "auto") | null;
            stream?: boolean | null;
            partial_images?: number | null;
            safety_identifier?: string | null;
            input_fidelity?: ("high" | "low") | null;
            images: ({
                image_url?: string | null;
                file_id?: string | null;
            } & {
                [key: string]: unknown;
            })[];
            mask?: ({
                image_url?: string | null;
                file_id?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        SpeechRequest: {
            /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
            model: string;
            input: string;
            /** @description A voice's name, or an object with the id of a custom voice. Voices change, so any name is valid. */
            voice: string | ({
                id: string;
            } & {
                [key: string]: unknown;
            });
            /** @description Style of the speech. */
            instructions?: string | null;
            response_format?: ("mp3" | "opus" | "aac" | "flac" | "wav" | "pcm") | null;
            speed?: number | null;
            /** @description Raw audio bytes, or server-sent events that hold them. */
            stream_format?: ("audio" | "sse") | null;
        } & {
            [key: string]: unknown;
        };
        RealtimeSecretRequest: {
            /** @default {} */
            expires_after: {
                /** @constant */
                anchor?: "created_at";
                /** @default 600 */
                seconds: number;
            };
            session: {
                /**
                 * @default realtime
                 * @constant
                 */
                type: "realtime";
                /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
                model: string;
            } & {
                [key: string]: unknown;
            };
        };
        ChatError: {
            error: {
                message: string;
                type: string;
                /** @description The path of the invalid field. */
                param: string | null;
                code: string | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        MessagesError: {
            /** @constant */
            type: "error";
            error: {
                type: string;
                message: string;
            } & {
                [key: string]: unknown;
            };
            request_id: string;
        } & {
            [key: string]: unknown;
        };
        GenerateContentError: {
            error: {
                /** @description The HTTP status. */
                code: number;
                message: string;
                /** @example INVALID_ARGUMENT */
                status: string;
                details?: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description An array with the error, as the stream is one; the error alone if `alt` is `sse`. */
        ContentStreamError: components["schemas"]["GenerateContentError"][] | components["schemas"]["GenerateContentError"];
        /** @description An error in the format of the client. */
        ModelsError: components["schemas"]["ChatError"] | components["schemas"]["MessagesError"] | components["schemas"]["GenerateContentError"];
        Token: {
            id: string;
            name: string;
            project: string;
            /** @description The user who owns the token; null for none. */
            owner: string | null;
            /** @description RFC 3339; null for never. */
            expiresAt: string | null;
            /** @description Null if every endpoint is allowed. */
            endpoints: ("chat" | "messages" | "generate-content" | "responses" | "completions" | "embeddings" | "embed-content" | "rerank" | "images" | "speech" | "transcriptions" | "realtime")[] | null;
            /** @description IP addresses and ranges; null if every address is allowed. */
            allowedAddresses: string[] | null;
            /** @description Null for none. */
            limits: components["schemas"]["Limits"] | null;
            /** @description Null for none. */
            budget: components["schemas"]["Budget"] | null;
            tags: {
                [key: string]: string;
            };
            /** @description The start of the secret or of its hash, for people to identify it. */
            prefix: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Start of its last attempt at an upstream, to the minute, RFC 3339; null if there was none. */
            lastUsedAt: string | null;
            /** @description True while it may not be used. */
            disabled: boolean;
            /** @description Names of models, each with at most one `*`; null if every model is allowed. */
            models: string[] | null;
        };
        TokenPage: {
            data: components["schemas"]["Token"][];
            next: string | null;
        };
        NewToken: {
            name: string;
            /** @description Created when it is first used; `default` if absent. */
            project?: string | null;
            /** @description The user who owns the token; created when it is first used. */
            owner?: string | null;
            /** @description A time in the future; null for never. */
            expiresAt?: (string & (unknown & unknown)) | null;
            /** @description Names of the models that it may use, each with at most one `*`. */
            models?: string[] | null;
            endpoints?: ("chat" | "messages" | "generate-content" | "responses" | "completions" | "embeddings" | "embed-content" | "rerank" | "images" | "speech" | "transcriptions" | "realtime")[] | null;
            /** @description IP addresses and ranges such as `10.0.0.0/8`, from which it may be used. */
            allowedAddresses?: string[] | null;
            limits?: components["schemas"]["LimitSettings"] | null;
            budget?: components["schemas"]["Budget"] | null;
            tags?: {
                [key: string]: string;
            } | null;
            /** @description True for a token that may not be used until it is enabled; false if absent. */
            disabled?: boolean | null;
            /** @description The SHA-256 of an existing secret, in hex, so that a key which another gateway issued keeps working. */
            sha256?: string | null;
        };
        TokenChange: {
            name?: string;
            /** @description Created when it is first used. */
            project?: string;
            /** @description The user who owns the token; created when it is first used. */
            owner?: string | null;
            /** @description A time in the future; null for never. */
            expiresAt?: (string & (unknown & unknown)) | null;
            /** @description Names of the models that it may use, each with at most one `*`. */
            models?: string[] | null;
            endpoints?: ("chat" | "messages" | "generate-content" | "responses" | "completions" | "embeddings" | "embed-content" | "rerank" | "images" | "speech" | "transcriptions" | "realtime")[] | null;
            /** @description IP addresses and ranges such as `10.0.0.0/8`, from which it may be used. */
            allowedAddresses?: string[] | null;
            limits?: components["schemas"]["LimitSettings"] | null;
            budget?: components["schemas"]["Budget"] | null;
            tags?: {
                [key: string]: string;
            } | null;
            /** @description True while the token may not be used. */
            disabled?: boolean;
        };
        TokenRotation: {
            /** @description Time in which the old secret works, too, in seconds; 0 if absent. */
            graceSeconds?: number | null;
        };
        IssuedToken: {
            id: string;
            name: string;
            project: string;
            /** @description The user who owns the token; null for none. */
            owner: string | null;
            /** @description RFC 3339; null for never. */
            expiresAt: string | null;
            /** @description Null if every endpoint is allowed. */
            endpoints: ("chat" | "messages" | "generate-content" | "responses" | "completions" | "embeddings" | "embed-content" | "rerank" | "images" | "speech" | "transcriptions" | "realtime")[] | null;
            /** @description IP addresses and ranges; null if every address is allowed. */
            allowedAddresses: string[] | null;
            /** @description Null for none. */
            limits: components["schemas"]["Limits"] | null;
            /** @description Null for none. */
            budget: components["schemas"]["Budget"] | null;
            tags: {
                [key: string]: string;
            };
            /** @description The start of the secret or of its hash, for people to identify it. */
            prefix: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description Start of its last attempt at an upstream, to the minute, RFC 3339; null if there was none. */
            lastUsedAt: string | null;
            /** @description True while it may not be used. */
            disabled: boolean;
            /** @description Names of models, each with at most one `*`; null if every model is allowed. */
            models: string[] | null;
            token: string | null;
        };
        OwnToken: {
            id: string;
            name: string;
            project: string;
            /** @description The user who owns the token; null for none. */
            owner: string | null;
            /** @description RFC 3339; null for never. */
            expiresAt: string | null;
            /** @description Null if every endpoint is allowed. */
            endpoints: ("chat" | "messages" | "generate-content" | "responses" | "completions" | "embeddings" | "embed-content" | "rerank" | "images" | "speech" | "transcriptions" | "realtime")[] | null;
            /** @description IP addresses and ranges; null if every address is allowed. */
            allowedAddresses: string[] | null;
            /** @description Null for none. */
            limits: components["schemas"]["Limits"] | null;
            /** @description Null for none. */
            budget: components["schemas"]["Budget"] | null;
            tags: {
                [key: string]: string;
            };
            /** @description The rest of the limits of the token and its project; null if that is not known at the moment. */
            limitsLeft: components["schemas"]["LimitLeft"][] | null;
            /** @description The rest of the budgets of the token, its project and its owner. */
            budgetsLeft: components["schemas"]["BudgetLeft"][];
            models: components["schemas"]["OwnModel"][];
        };
        OwnModel: {
            /** @description A name, or a pattern with `*`. */
            name: string;
            /** @description The longest prompt with its answer, in tokens; null if it is unknown. */
            context: number | null;
            /** @description Its price; null if that is unknown. */
            price: components["schemas"]["Price"] | null;
            /** @description The operations that its upstreams support. */
            operations: string[];
            /** @description The wire formats of its upstreams for `generate`. Clients may use any format. */
            formats: string[];
        };
        Limits: {
            /** @description Requests that may start in any 60 s. */
            requestsPerMinute?: number;
            /** @description Input and output tokens that requests of any 60 s may use. */
            tokensPerMinute?: number;
            /** @description Requests that may run at once. */
            concurrency?: number;
            models?: {
                [key: string]: {
                    /** @description Requests that may start in any 60 s. */
                    requestsPerMinute?: number;
                    /** @description Input and output tokens that requests of any 60 s may use. */
                    tokensPerMinute?: number;
                    /** @description Requests that may run at once. */
                    concurrency?: number;
                };
            };
        };
        LimitSettings: {
            /** @description Requests that may start in any 60 s. */
            requestsPerMinute?: number;
            /** @description Input and output tokens that requests of any 60 s may use. */
            tokensPerMinute?: number;
            /** @description Requests that may run at once. */
            concurrency?: number;
            models?: {
                [key: string]: {
                    /** @description Requests that may start in any 60 s. */
                    requestsPerMinute?: number;
                    /** @description Input and output tokens that requests of any 60 s may use. */
                    tokensPerMinute?: number;
                    /** @description Requests that may run at once. */
                    concurrency?: number;
                };
            };
        };
        LimitLeft: {
            /** @enum {string} */
            of: "token" | "project";
            /** @description The name or pattern of the models that it holds for; null for all. */
            model: string | null;
            /** @enum {string} */
            limit: "requestsPerMinute" | "tokensPerMinute" | "concurrency";
            value: number;
            left: number;
            /** @description When it is whole again if no other request comes, RFC 3339; null for `concurrency`. */
            resetsAt: string | null;
        };
        Budget: {
            /** @description US dollars. */
            amount: number;
            /** @enum {string} */
            period: "day" | "week" | "month" | "total";
            /** @description True if a spent budget also ends running streams. */
            endsStreams?: boolean;
        };
        BudgetLeft: {
            /** @enum {string} */
            of: "token" | "project" | "owner";
            /** @description US dollars. */
            amount: number;
            /** @enum {string} */
            period: "day" | "week" | "month" | "total";
            /** @description True if a spent budget also ends running streams. */
            endsStreams?: boolean;
            /** @description Spent in this period, in US dollars. */
            spent: number;
            /** @description Reserved for running requests, in US dollars. */
            reserved: number;
            /** @description In US dollars; never negative. */
            left: number;
            /** @description When the budget starts anew, RFC 3339; null for never. */
            resetsAt: string | null;
        };
        Price: {
            input?: number;
            /** @description Input tokens that the provider read from its cache. */
            cachedInput?: number;
            /** @description Input tokens that the provider wrote to its cache. */
            cacheWrite?: number;
            /** @description The same, for an hour. */
            cacheWrite1h?: number;
            audioInput?: number;
            imageInput?: number;
            output?: number;
            reasoning?: number;
            audioOutput?: number;
            image?: number;
            second?: number;
            characters?: number;
            search?: number;
        };
        PriceSettings: {
            input?: number;
            /** @description Input tokens that the provider read from its cache. */
            cachedInput?: number;
            /** @description Input tokens that the provider wrote to its cache. */
            cacheWrite?: number;
            /** @description The same, for an hour. */
            cacheWrite1h?: number;
            audioInput?: number;
            imageInput?: number;
            output?: number;
            reasoning?: number;
            audioOutput?: number;
            image?: number;
            second?: number;
            characters?: number;
            search?: number;
        };
        Project: {
            id: string;
            name: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description The names of the fields that gateway.yaml states, and that cannot be changed here. */
            readOnly: string[];
            limits: components["schemas"]["Limits"] | null;
            budget: components["schemas"]["Budget"] | null;
            allowUnpriced: boolean | null;
            prices: {
                [key: string]: components["schemas"]["PriceSettings"];
            } | null;
            weight: number | null;
            storeResponses: boolean | null;
            logging: components["schemas"]["RequestLogging"] | null;
        };
        ProjectPage: {
            data: components["schemas"]["Project"][];
            next: string | null;
        };
        ProjectSettings: {
            /** @description Limits of all its tokens together. */
            limits?: components["schemas"]["LimitSettings"] | null;
            /** @description The budget of all its tokens together. */
            budget?: components["schemas"]["Budget"] | null;
            /** @description True if its tokens may use models without a price, though they have a budget; false if absent. */
            allowUnpriced?: boolean | null;
            /** @description Prices of models by name or pattern, which take the place of the others for this project. */
            prices?: {
                [key: string]: components["schemas"]["PriceSettings"];
            } | null;
            /** @description Share of busy workers, relative to other projects; 1 if absent. */
            weight?: number | null;
            /** @description False if its responses are not stored; true if absent. */
            storeResponses?: boolean | null;
            /** @description Request logging; if absent, no text of a request or an answer is stored. */
            logging?: components["schemas"]["RequestLogging"] | null;
        };
        RequestLogging: {
            /** @description Share of requests that are logged, from 0 to 1. */
            sample: number;
            /** @description Data that is replaced by a mark before a text leaves the ingress. */
            redact?: (("email" | "phone" | "creditCard" | "iban" | "ipAddress" | "ssn") | {
                /** @description Named in the mark that replaces a match. */
                name: string;
                /** @description A regular expression in RE2 syntax. */
                pattern: string;
            })[];
            /** @description Days for which texts are stored; 30 if absent. */
            retentionDays?: number;
            /** @description The most bytes that are stored of a request, and of its answer; 65536 if absent. */
            maxBytes?: number;
        };
        User: {
            id: string;
            name: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description The names of the fields that gateway.yaml states, and that cannot be changed here. */
            readOnly: string[];
            budget: components["schemas"]["Budget"] | null;
            /** @description Null for a user who cannot sign in. */
            login: components["schemas"]["Login"] | null;
            /** @description The projects in which the user has a role. */
            projects: components["schemas"]["ProjectRole"][];
        };
        UserPage: {
            data: components["schemas"]["User"][];
            next: string | null;
        };
        UserSettings: {
            /** @description The budget of all tokens of the user together. */
            budget?: components["schemas"]["Budget"] | null;
        };
        Login: {
            /** @description Null for none. */
            email: string | null;
            /** @description Null for a user who is not an admin of the installation. */
            role: "admin" | null;
            /** @description True while the user may not sign in. */
            disabled: boolean;
            /** @description True if the user has a password. */
            password: boolean;
            /** @description True if the user signs in by OpenID Connect. */
            oidc: boolean;
            /** @description RFC 3339; null for never. */
            lastSignInAt: string | null;
        };
        LoginChange: {
            email?: string | null;
            role?: "admin" | null;
            disabled?: boolean;
            /** @description Null unlinks the identity at the OpenID provider, and signs the user out. */
            oidc?: null;
            /**
             * @default keep
             * @enum {string}
             */
            tokens: "keep" | "disable";
        };
        PasswordReset: {
            password?: string | null;
        };
        PasswordMade: {
            password: string | null;
        };
        PasswordChange: {
            current: string;
            password: string;
        };
        Member: {
            user: string;
            /** @enum {string} */
            role: "manager" | "member" | "viewer";
        };
        MemberPage: {
            data: components["schemas"]["Member"][];
            next: string | null;
        };
        MemberSettings: {
            /** @enum {string} */
            role: "manager" | "member" | "viewer";
        };
        ProjectRole: {
            project: string;
            /** @enum {string} */
            role: "manager" | "member" | "viewer";
        };
        SignIn: {
            /** @description The user's name or email address. */
            user: string;
            password: string;
        };
        SignInWays: {
            password: boolean;
            oidc: boolean;
        };
        Session: {
            /** @enum {string} */
            kind: "user" | "account" | "admin-token";
            name: string;
            /** @description Null for a caller that is not an admin of the installation. */
            role: "admin" | null;
            projects: components["schemas"]["ProjectRole"][];
            /** @description The time at which the session or the service account ends, RFC 3339; null for never. */
            expiresAt: string | null;
        };
        ServiceAccount: {
            id: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer";
            projects: string[];
            /** @description The start of its token, for people to identify it. */
            prefix: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description To the minute, RFC 3339; null for never. */
            lastUsedAt: string | null;
        };
        ServiceAccountPage: {
            data: components["schemas"]["ServiceAccount"][];
            next: string | null;
        };
        NewServiceAccount: {
            name: string;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer";
            /** @description The projects in which it has the role; none for an admin. */
            projects?: string[] | null;
            /** @description A time in the future, at most 366 days from now. */
            expiresAt: string & (unknown & unknown);
        };
        ServiceAccountRotation: {
            expiresAt: string & (unknown & unknown);
        };
        IssuedServiceAccount: {
            id: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer";
            projects: string[];
            /** @description The start of its token, for people to identify it. */
            prefix: string;
            /** @description RFC 3339. */
            createdAt: string;
            /** @description RFC 3339. */
            expiresAt: string;
            /** @description To the minute, RFC 3339; null for never. */
            lastUsedAt: string | null;
            token: string;
        };
        Provider: {
            name: string;
            /** @enum {string} */
            managedBy: "file" | "api";
            place: string | null;
            overridden: boolean;
            problems: string[];
            createdAt: string;
            kind: string;
            api: (("chat" | "responses" | "completions") | ("chat" | "responses" | "completions")[]) | null;
            batch: number | null;
            baseUrl: string | null;
            apiKey: ({
                env: string;
            } | {
                file: string;
            } | {
                /** @constant */
                set: true;
            }) | null;
            headers: {
                [key: string]: {
                    /** @constant */
                    set: true;
                };
            };
            pool: string;
        };
        ProviderPage: {
            data: components["schemas"]["Provider"][];
            next: string | null;
        };
        ProviderSettings: {
            name?: string;
            kind: string;
            api?: (("chat" | "responses" | "completions") | ("chat" | "responses" | "completions")[]) | null;
            batch?: number | null;
            baseUrl?: string | null;
            apiKey?: ({
                env: string;
            } | {
                file: string;
            } | {
                value: string;
            } | {
                /** @constant */
                set: true;
            }) | null;
            headers?: {
                [key: string]: string | {
                    /** @constant */
                    set: true;
                };
            } | null;
            pool?: string | null;
        };
        CatalogModel: {
            name: string;
            /** @enum {string} */
            managedBy: "file" | "api";
            place: string | null;
            overridden: boolean;
            problems: string[];
            createdAt: string;
            targets: {
                provider: string;
                model: string;
                weight?: number;
                price?: components["schemas"]["PriceSettings"];
            }[];
            strategy: ("ordered" | "weighted" | "least-busy" | "fastest" | "cheapest") | null;
            retries: number | null;
            fallbacks: {
                contextLength?: string[];
                contentPolicy?: string[];
                rateLimit?: string[];
                outage?: string[];
            } | null;
            affinity: boolean | null;
            hedgeAfter: string | null;
            timeouts: {
                firstToken?: string;
                idle?: string;
                total: string;
            };
            price: components["schemas"]["PriceSettings"] | null;
            limits: {
                context?: number;
                maxOutput?: number;
            };
            realtime: ("upstream" | {
                transcription?: string;
                speech?: string;
                voice?: string;
            }) | null;
            drop: string[];
        };
        CatalogModelPage: {
            data: components["schemas"]["CatalogModel"][];
            next: string | null;
        };
        CatalogModelSettings: {
            name?: string;
            targets: {
                provider: string;
                model: string;
                weight?: number;
                price?: components["schemas"]["PriceSettings"];
            }[];
            strategy?: ("ordered" | "weighted" | "least-busy" | "fastest" | "cheapest") | null;
            retries?: number | null;
            fallbacks?: (string[] | {
                contextLength?: string[];
                contentPolicy?: string[];
                rateLimit?: string[];
                outage?: string[];
            }) | null;
            affinity?: boolean | null;
            hedgeAfter?: string | null;
            timeouts?: {
                firstToken?: string;
                idle?: string;
                total?: string;
            } | null;
            price?: components["schemas"]["PriceSettings"] | null;
            limits?: {
                context?: number;
                maxOutput?: number;
            } | null;
            realtime?: ("upstream" | {
                transcription?: string;
                speech?: string;
                voice?: string;
            }) | null;
            drop?: string[] | null;
        };
        CatalogTest: {
            model?: string | null;
        };
        CatalogTestResult: {
            data: {
                provider: string;
                model: string;
                works: boolean;
                ms: number;
                error: {
                    kind: string;
                    message: string;
                } | null;
            }[];
        };
        CatalogDocument: {
            providers: {
                name: string;
                kind: string;
                api?: (("chat" | "responses" | "completions") | ("chat" | "responses" | "completions")[]) | null;
                batch?: number | null;
                baseUrl?: string | null;
                apiKey?: ({
                    env: string;
                } | {
                    file: string;
                } | {
                    value: string;
                } | {
                    /** @constant */
                    set: true;
                }) | null;
                headers?: {
                    [key: string]: string | {
                        /** @constant */
                        set: true;
                    };
                } | null;
                pool?: string | null;
            }[];
            models: {
                name: string;
                targets: {
                    provider: string;
                    model: string;
                    weight?: number;
                    price?: components["schemas"]["PriceSettings"];
                }[];
                strategy?: ("ordered" | "weighted" | "least-busy" | "fastest" | "cheapest") | null;
                retries?: number | null;
                fallbacks?: (string[] | {
                    contextLength?: string[];
                    contentPolicy?: string[];
                    rateLimit?: string[];
                    outage?: string[];
                }) | null;
                affinity?: boolean | null;
                hedgeAfter?: string | null;
                timeouts?: {
                    firstToken?: string;
                    idle?: string;
                    total?: string;
                } | null;
                price?: components["schemas"]["PriceSettings"] | null;
                limits?: {
                    context?: number;
                    maxOutput?: number;
                } | null;
                realtime?: ("upstream" | {
                    transcription?: string;
                    speech?: string;
                    voice?: string;
                }) | null;
                drop?: string[] | null;
            }[];
            projects?: {
                name: string;
                /** @description Limits of all its tokens together. */
                limits?: components["schemas"]["LimitSettings"] | null;
                /** @description The budget of all its tokens together. */
                budget?: components["schemas"]["Budget"] | null;
                /** @description True if its tokens may use models without a price, though they have a budget; false if absent. */
                allowUnpriced?: boolean | null;
                /** @description Prices of models by name or pattern, which take the place of the others for this project. */
                prices?: {
                    [key: string]: components["schemas"]["PriceSettings"];
                } | null;
                /** @description Share of busy workers, relative to other projects; 1 if absent. */
                weight?: number | null;
                /** @description False if its responses are not stored; true if absent. */
                storeResponses?: boolean | null;
                /** @description Request logging; if absent, no text of a request or an answer is stored. */
                logging?: components["schemas"]["RequestLogging"] | null;
            }[];
            users?: {
                name: string;
                /** @description The budget of all tokens of the user together. */
                budget?: components["schemas"]["Budget"] | null;
            }[];
        };
        AppliedCatalog: {
            dryRun: boolean;
            changes: components["schemas"]["EntryChange"][];
        };
        EntryChange: {
            /** @enum {string} */
            kind: "provider" | "model" | "project" | "user";
            name: string;
            /** @enum {string} */
            change: "created" | "changed" | "deleted" | "unchanged";
            fields: {
                field: string;
                before: unknown;
                after: unknown;
            }[];
        };
        ModelPrices: {
            data: {
                model: string;
                provider: string;
                upstreamModel: string;
                price: components["schemas"]["Price"] | null;
                source: ("project" | "target" | "model" | "vendor") | null;
            }[];
        };
        SettingList: {
            data: {
                name: string;
                value: string | null;
                default: string | null;
                /** @enum {string} */
                source: "environment" | "file" | "default";
                description: string;
            }[];
        };
        UsageEntry: {
            /** @description The attempt's UUIDv7. */
            id: string;
            requestId: string;
            /** @description Start of the attempt, RFC 3339. */
            at: string;
            /** @description Duration of the attempt, in milliseconds. */
            ms: number;
            /** @description Time until the answer began, in milliseconds. */
            firstMs: number | null;
            operation: string;
            format: string;
            stream: boolean;
            model: string;
            /** @description The model that took the request over from `model`; null if none did. */
            fallback: string | null;
            provider: string;
            /** @description The model's name at the provider. */
            upstreamModel: string;
            /** @description The token's id. */
            token: string;
            project: string;
            /** @description The token's owner when the attempt was made; null for none. */
            owner: string | null;
            /** @description The token's tags when the attempt was made. */
            tags: {
                [key: string]: string;
            };
            outcome: string;
            error: string | null;
            /** @description The administrator who ended the request; null if none did. */
            endedBy: string | null;
            /** @description Reason why the model stopped; null unless it generated an answer to its end. */
            finishReason: string | null;
            /** @description True if part of the answer reached the client. */
            charged: boolean;
            /** @description In US dollars; null if the usage or the price is unknown. */
            cost: number | null;
            /** @description The version of the prices by which the cost was computed. */
            priceVersion: string | null;
            /** @description Null if it is unknown. */
            usage: {
                input: number;
                cachedInput: number;
                cacheWrite5m: number;
                cacheWrite1h: number;
                audioInput: number;
                imageInput: number;
                output: number;
                reasoning: number;
                audioOutput: number;
                images: number;
                /** @description Seconds of audio. */
                seconds: number;
                characters: number;
                searches: number;
                estimated: boolean;
            } | null;
        };
        UsagePage: {
            data: components["schemas"]["UsageEntry"][];
            next: string | null;
        };
        UsageTotals: {
            by: string;
            data: {
                /** @description Null for attempts without an owner, or without the tag. */
                key: string | null;
                requests: number;
                input: number;
                cachedInput: number;
                cacheWrite5m: number;
                cacheWrite1h: number;
                audioInput: number;
                imageInput: number;
                output: number;
                reasoning: number;
                audioOutput: number;
                images: number;
                /** @description Seconds of audio. */
                seconds: number;
                characters: number;
                searches: number;
                /** @description In US dollars, of the attempts whose cost is known. */
                cost: number;
                /** @description Number of attempts whose cost is unknown. */
                unpriced: number;
            }[];
        };
        RejectedPage: {
            data: {
                id: number;
                /** @description RFC 3339. */
                at: string;
                reason: string;
                /** @description The record as JSON in ASCII. */
                record: string;
            }[];
            next: string | null;
        };
        LoggedRequest: {
            /** @description The id in the header `x-request-id`. */
            requestId: string;
            /** @description Start of the request, RFC 3339. */
            at: string;
            /** @description Duration of the request, in milliseconds. */
            ms: number;
            /** @description The client's format. */
            format: string;
            /** @description The model name that the client sent; empty if the request failed before it was read. */
            model: string;
            /** @description The token's id. */
            token: string;
            project: string;
            owner: string | null;
            /** @description The HTTP status; 499 if the client left. */
            status: number;
            /** @description `answered`, `failed`, or `cancelled` if the client left. */
            outcome: string;
            error: string | null;
            /** @description The time from which it is no longer shown, RFC 3339. */
            expiresAt: string;
            request: {
                /** @description Size of the whole text, in bytes. */
                bytes: number;
                /** @description True if the end of the text is not stored. */
                cut: boolean;
                /** @description The text in the client's format, redacted. */
                text: string;
            };
            response: {
                /** @description Size of the whole text, in bytes. */
                bytes: number;
                /** @description True if the end of the text is not stored. */
                cut: boolean;
                /** @description The text in the client's format, redacted. */
                text: string;
            };
            attempts: components["schemas"]["UsageEntry"][];
        };
        LoggedRequestSummary: {
            /** @description The id in the header `x-request-id`. */
            requestId: string;
            /** @description Start of the request, RFC 3339. */
            at: string;
            /** @description Duration of the request, in milliseconds. */
            ms: number;
            /** @description The client's format. */
            format: string;
            /** @description The model name that the client sent; empty if the request failed before it was read. */
            model: string;
            /** @description The token's id. */
            token: string;
            project: string;
            owner: string | null;
            /** @description The HTTP status; 499 if the client left. */
            status: number;
            /** @description `answered`, `failed`, or `cancelled` if the client left. */
            outcome: string;
            error: string | null;
            /** @description The time from which it is no longer shown, RFC 3339. */
            expiresAt: string;
            request: {
                /** @description Size of the whole text, in bytes. */
                bytes: number;
                /** @description True if the end of the text is not stored. */
                cut: boolean;
            };
            response: {
                /** @description Size of the whole text, in bytes. */
                bytes: number;
                /** @description True if the end of the text is not stored. */
                cut: boolean;
            };
        };
        LoggedRequestPage: {
            data: components["schemas"]["LoggedRequestSummary"][];
            next: string | null;
        };
        AuditEntry: {
            id: number;
            /** @description RFC 3339. */
            at: string;
            /** @enum {string} */
            actorKind: "user" | "account" | "admin-token" | "file" | "setting";
            actor: string;
            /** @description The id of the user or the service account; null for others. */
            actorId: string | null;
            /** @description The IP address that the request came from; null without a request. */
            address: string | null;
            /** @description The id in the header `x-request-id`; null without a request. */
            requestId: string | null;
            action: string;
            /** @enum {string} */
            subjectKind: "token" | "project" | "user" | "member" | "account" | "session" | "request" | "provider" | "model";
            /** @description The id of what was changed; null for what has only a name. */
            subjectId: string | null;
            subject: string;
            /** @description The project that it belongs to; null for none. */
            project: string | null;
            /** @description Null if it did not exist. Secrets are left out. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description Null if it does not exist any more. Secrets are left out. */
            after: {
                [key: string]: unknown;
            } | null;
        };
        AuditPage: {
            data: components["schemas"]["AuditEntry"][];
            next: string | null;
        };
        RunningRequest: {
            /** @description The id in the header `x-request-id`. */
            requestId: string;
            /** @description Start of the request, RFC 3339. */
            at: string;
            /** @description Its age, in milliseconds. */
            ms: number;
            /** @enum {string} */
            state: "waiting" | "queued" | "running" | "streaming";
            /** @description The path of the endpoint. */
            endpoint: string;
            /** @description The client's format. */
            format: string;
            /** @description Null until it is read. */
            operation: string | null;
            /** @description The model name that the client sent; empty until it is read. */
            model: string;
            stream: boolean;
            /** @description The token's id. */
            token: string;
            tokenName: string;
            project: string;
            /** @description The user who owns the token; null for none. */
            owner: string | null;
            /** @description The client's address; null for background work. */
            client: string | null;
            /** @description The provider of the last attempt; null before the first. */
            provider: string | null;
            /** @description The model's name at the provider; null before the first attempt. */
            upstreamModel: string | null;
            /** @description The model that took the request over from `model`; null if none did. */
            fallback: string | null;
            /** @description Attempts that were begun. */
            attempts: number;
            /** @description Attempts that failed and were followed by another. */
            failovers: number;
            /** @description Time until the answer began, in milliseconds; null before. */
            firstMs: number | null;
            /** @description Size of the answer so far on the way from the worker, in bytes. */
            answerBytes: number;
            /** @description The process that answers it. */
            process: string;
        };
        RunningRequestPage: {
            data: components["schemas"]["RunningRequest"][];
            next: string | null;
            /** @description The number of requests that the query names, on all pages. */
            total: number;
            /** @description The processes that did not answer in time: their requests are missing. */
            unanswered: string[];
        };
        CommandCode: {
            code: string;
            verifier: string;
        };
        Diagnostics: {
            /** @description The clock of control, RFC 3339. */
            at: string;
            /** @description The version of control. */
            version: string;
            checks: components["schemas"]["Finding"][];
        };
        Finding: {
            /** @description The thing that was checked, such as `database`. */
            check: string;
            /** @enum {string} */
            status: "ok" | "warning" | "failed";
            /** @description What was found, one or two sentences. */
            found: string;
            /** @description What to do about it; null if it is as it should be. */
            advice: string | null;
        };
        HealthReport: {
            models: {
                name: string;
                targets: components["schemas"]["TargetHealth"][];
            }[];
            keys: components["schemas"]["KeyHealth"][];
        };
        TargetHealth: {
            provider: string;
            /** @description The model's name at the provider. */
            model: string;
            /** @enum {string} */
            state: "serving" | "resting" | "probing";
            /** @description The reason for the rest: `failures`, `asked` or `refused-key`. */
            reason?: string;
            /** @description The kind of the error that caused the rest. */
            error?: string;
            /** @description Start of the rest, RFC 3339. */
            since?: string;
            /** @description End of the rest, after which a request probes it, RFC 3339. */
            until?: string;
        };
        KeyHealth: {
            provider: string;
            /** @description Null for a provider without an API key. */
            key: string | null;
            /** @enum {string} */
            state: "serving" | "resting" | "probing";
            /** @description The reason for the rest: `failures`, `asked` or `refused-key`. */
            reason?: string;
            /** @description The kind of the error that caused the rest. */
            error?: string;
            /** @description Start of the rest, RFC 3339. */
            since?: string;
            /** @description End of the rest, after which a request probes it, RFC 3339. */
            until?: string;
        };
        Problem: {
            /** @description The URI of the code: `urn:model-gateway:problem:` and the code. */
            type: string;
            /** @description The code in words. It is the same for all problems of a code. */
            title: string;
            status: number;
            /** @description What was wrong with this request, in sentences. */
            detail: string;
            code: string;
            /** @description The id in the header `x-request-id`. */
            requestId: string;
            /** @description Every invalid field, at most 100; empty if the error is of no field. */
            errors: components["schemas"]["FieldError"][];
        };
        FieldError: {
            /** @description The path of the field, such as `limits.models["gpt-5"].requestsPerMinute`. */
            path: string;
            /** @description The rest of a sentence that begins with the path, such as `must be greater than zero`. */
            message: string;
            code: string;
        };
    };
    responses: {
        /** @description The request is invalid. The error names the field. */
        ChatError_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The token is missing, wrong, expired or revoked. */
        ChatError_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The token may not use this endpoint or model, or not from this address. */
        ChatError_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The model or the stored object does not exist. */
        ChatError_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The body took too long to arrive. */
        ChatError_408: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The body is too large. */
        ChatError_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The content type is not supported. */
        ChatError_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description A limit of the token or its project is reached, or the upstream asks to wait. A spent budget is `insufficient_quota`. */
        ChatError_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The gateway failed. */
        ChatError_500: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The upstream failed. */
        ChatError_502: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        ChatError_503: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The upstream took too long. */
        ChatError_504: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The request failed. */
        ChatError_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChatError"];
            };
        };
        /** @description The request is invalid. The error names the field. */
        MessagesError_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The token is missing, wrong, expired or revoked. */
        MessagesError_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description A budget is spent. */
        MessagesError_402: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The token may not use this endpoint or model, or not from this address. */
        MessagesError_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The model or the stored object does not exist. */
        MessagesError_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The body took too long to arrive. */
        MessagesError_408: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The body is too large. */
        MessagesError_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The content type is not supported. */
        MessagesError_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description A limit of the token or its project is reached, or the upstream asks to wait. */
        MessagesError_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The gateway or the upstream failed. */
        MessagesError_500: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The upstream took too long. */
        MessagesError_504: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        MessagesError_529: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The request failed. */
        MessagesError_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MessagesError"];
            };
        };
        /** @description The request is invalid. The error names the field. A wrong API key is also a 400. */
        GenerateContentError_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The token is missing, wrong, expired or revoked. */
        GenerateContentError_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The token may not use this endpoint or model, or not from this address. A request without a token is also a 403. */
        GenerateContentError_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The model or the stored object does not exist. */
        GenerateContentError_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The body took too long to arrive. */
        GenerateContentError_408: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The body is too large. */
        GenerateContentError_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The content type is not supported. */
        GenerateContentError_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description A limit of the token or its project is reached, or the upstream asks to wait. */
        GenerateContentError_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The gateway or the upstream failed. */
        GenerateContentError_500: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        GenerateContentError_503: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The upstream took too long. */
        GenerateContentError_504: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The request failed. */
        GenerateContentError_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GenerateContentError"];
            };
        };
        /** @description The request is invalid. The error names the field. A wrong API key is also a 400. */
        ContentStreamError_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The token is missing, wrong, expired or revoked. */
        ContentStreamError_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The token may not use this endpoint or model, or not from this address. A request without a token is also a 403. */
        ContentStreamError_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The model or the stored object does not exist. */
        ContentStreamError_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The body took too long to arrive. */
        ContentStreamError_408: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The body is too large. */
        ContentStreamError_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The content type is not supported. */
        ContentStreamError_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description A limit of the token or its project is reached, or the upstream asks to wait. */
        ContentStreamError_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The gateway or the upstream failed. */
        ContentStreamError_500: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        ContentStreamError_503: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The upstream took too long. */
        ContentStreamError_504: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The request failed. */
        ContentStreamError_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentStreamError"];
            };
        };
        /** @description The request is invalid. The error names the field. A wrong API key is also a 400. */
        ModelsError_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The token is missing, wrong, expired or revoked. */
        ModelsError_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The token may not use this endpoint or model, or not from this address. A request without a token is also a 403. */
        ModelsError_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The model or the stored object does not exist. */
        ModelsError_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The body took too long to arrive. */
        ModelsError_408: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The body is too large. */
        ModelsError_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The content type is not supported. */
        ModelsError_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description A limit of the token or its project is reached, or the upstream asks to wait. */
        ModelsError_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The gateway or the upstream failed. */
        ModelsError_500: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        ModelsError_503: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The upstream took too long. */
        ModelsError_504: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description No process is free, or none serves the model. */
        ModelsError_529: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The request failed. */
        ModelsError_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelsError"];
            };
        };
        /** @description The request is invalid. The error names the field. */
        Error_400: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is missing, wrong or expired. */
        Error_401: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller may not do this. */
        Error_403: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It does not exist, or the caller has no role in its project. */
        Error_404: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The present state does not allow this. */
        Error_409: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource has changed, or exists already. */
        Error_412: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        Error_413: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The content type is not supported. */
        Error_415: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The idempotency key was used for another request. */
        Error_422: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There were too many attempts. Wait. */
        Error_429: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database or another part cannot be reached. Try again. */
        Error_503: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "retry-after": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request failed. */
        Error_default: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The request's id, by which the logs name it. */
        RequestId: string;
        /** @description Where to go on. */
        Location: string;
        /** @description Seconds after which to try again. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "What are you?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createCompletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "prompt": "Once upon a time",
                 *       "max_tokens": 16
                 *     }
                 */
                "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completion"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createMessage: {
        parameters: {
            query?: never;
            header: {
                /** @description The version of the format. */
                "anthropic-version": string;
                /** @description Beta features, which are passed on to upstreams that speak this format. */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "What are you?"
                 *         }
                 *       ],
                 *       "max_tokens": 100
                 *     }
                 */
                "application/json": components["schemas"]["MessagesRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["MessagesError_400"];
            401: components["responses"]["MessagesError_401"];
            402: components["responses"]["MessagesError_402"];
            403: components["responses"]["MessagesError_403"];
            404: components["responses"]["MessagesError_404"];
            408: components["responses"]["MessagesError_408"];
            413: components["responses"]["MessagesError_413"];
            415: components["responses"]["MessagesError_415"];
            429: components["responses"]["MessagesError_429"];
            500: components["responses"]["MessagesError_500"];
            504: components["responses"]["MessagesError_504"];
            529: components["responses"]["MessagesError_529"];
            default: components["responses"]["MessagesError_default"];
        };
    };
    countMessageTokens: {
        parameters: {
            query?: never;
            header: {
                /** @description The version of the format. */
                "anthropic-version": string;
                /** @description Beta features, which are passed on to upstreams that speak this format. */
                "anthropic-beta"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "messages": [
                 *         {
                 *           "role": "user",
                 *           "content": "What are you?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["MessagesCountRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        input_tokens: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["MessagesError_400"];
            401: components["responses"]["MessagesError_401"];
            402: components["responses"]["MessagesError_402"];
            403: components["responses"]["MessagesError_403"];
            404: components["responses"]["MessagesError_404"];
            408: components["responses"]["MessagesError_408"];
            413: components["responses"]["MessagesError_413"];
            415: components["responses"]["MessagesError_415"];
            429: components["responses"]["MessagesError_429"];
            500: components["responses"]["MessagesError_500"];
            504: components["responses"]["MessagesError_504"];
            529: components["responses"]["MessagesError_529"];
            default: components["responses"]["MessagesError_default"];
        };
    };
    createResponse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "input": "What are you?"
                 *     }
                 */
                "application/json": components["schemas"]["ResponsesRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    countResponseTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "input": "What are you?"
                 *     }
                 */
                "application/json": components["schemas"]["ResponsesRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        input_tokens: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    compactResponse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-1",
                 *       "input": "What are you?"
                 *     }
                 */
                "application/json": components["schemas"]["ResponsesRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        object: string;
                        output: {
                            [key: string]: unknown;
                        }[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    showResponse: {
        parameters: {
            query?: {
                /** @description True to follow the events of the response. */
                stream?: boolean;
                /** @description The sequence number of the last event that the client has received. */
                starting_after?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    deleteResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        object: string;
                        /** @constant */
                        deleted: true;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    listResponseItems: {
        parameters: {
            query?: {
                /** @description The most items of the page. */
                limit?: number;
                /** @description The order of the items by age. */
                order?: "asc" | "desc";
                /** @description The id of the item before the page. */
                after?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        object: "list";
                        data: ({
                            id?: string;
                            type: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        first_id: string | null;
                        last_id: string | null;
                        has_more: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    cancelResponse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createConversation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "type": "message",
                 *           "role": "user",
                 *           "content": "Hello."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    items?: ({
                        type?: string | null;
                        role?: string | null;
                        id?: string | null;
                    } & {
                        [key: string]: unknown;
                    })[] | null;
                    metadata?: {
                        [key: string]: string;
                    } | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @constant */
                        object: "conversation";
                        /** @description Seconds since 1970. */
                        created_at: number;
                        metadata: {
                            [key: string]: string;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    showConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @constant */
                        object: "conversation";
                        /** @description Seconds since 1970. */
                        created_at: number;
                        metadata: {
                            [key: string]: string;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    changeConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "metadata": {
                 *         "topic": "cats"
                 *       }
                 *     }
                 */
                "application/json": {
                    metadata: {
                        [key: string]: string;
                    } | null;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @constant */
                        object: "conversation";
                        /** @description Seconds since 1970. */
                        created_at: number;
                        metadata: {
                            [key: string]: string;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    deleteConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        object: string;
                        /** @constant */
                        deleted: true;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    listConversationItems: {
        parameters: {
            query?: {
                /** @description The most items of the page. */
                limit?: number;
                /** @description The order of the items by age. */
                order?: "asc" | "desc";
                /** @description The id of the item before the page. */
                after?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        object: "list";
                        data: ({
                            id?: string;
                            type: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        first_id: string | null;
                        last_id: string | null;
                        has_more: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    addConversationItems: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "type": "message",
                 *           "role": "user",
                 *           "content": "Hello."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    items: ({
                        type?: string | null;
                        role?: string | null;
                        id?: string | null;
                    } & {
                        [key: string]: unknown;
                    })[];
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        object: "list";
                        data: ({
                            id?: string;
                            type: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        first_id: string | null;
                        last_id: string | null;
                        has_more: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    showConversationItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                item: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id?: string;
                        type: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    deleteConversationItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                item: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @constant */
                        object: "conversation";
                        /** @description Seconds since 1970. */
                        created_at: number;
                        metadata: {
                            [key: string]: string;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    generateContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contents": [
                 *         {
                 *           "role": "user",
                 *           "parts": [
                 *             {
                 *               "text": "What are you?"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GenerateContentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeneratedContent"];
                };
            };
            400: components["responses"]["GenerateContentError_400"];
            401: components["responses"]["GenerateContentError_401"];
            403: components["responses"]["GenerateContentError_403"];
            404: components["responses"]["GenerateContentError_404"];
            408: components["responses"]["GenerateContentError_408"];
            413: components["responses"]["GenerateContentError_413"];
            415: components["responses"]["GenerateContentError_415"];
            429: components["responses"]["GenerateContentError_429"];
            500: components["responses"]["GenerateContentError_500"];
            503: components["responses"]["GenerateContentError_503"];
            504: components["responses"]["GenerateContentError_504"];
            default: components["responses"]["GenerateContentError_default"];
        };
    };
    streamGenerateContent: {
        parameters: {
            query?: {
                /** @description `sse` for server-sent events, else the stream is one JSON array. */
                alt?: "json" | "sse";
            };
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contents": [
                 *         {
                 *           "role": "user",
                 *           "parts": [
                 *             {
                 *               "text": "What are you?"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GenerateContentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ({
                        candidates?: ({
                            index?: number;
                            content?: {
                                role?: string;
                                parts?: ({
                                    text?: string;
                                } & {
                                    [key: string]: unknown;
                                })[];
                            } & {
                                [key: string]: unknown;
                            };
                            finishReason?: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        usageMetadata?: {
                            [key: string]: unknown;
                        };
                        modelVersion?: string;
                        responseId?: string;
                    } & {
                        [key: string]: unknown;
                    })[];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ContentStreamError_400"];
            401: components["responses"]["ContentStreamError_401"];
            403: components["responses"]["ContentStreamError_403"];
            404: components["responses"]["ContentStreamError_404"];
            408: components["responses"]["ContentStreamError_408"];
            413: components["responses"]["ContentStreamError_413"];
            415: components["responses"]["ContentStreamError_415"];
            429: components["responses"]["ContentStreamError_429"];
            500: components["responses"]["ContentStreamError_500"];
            503: components["responses"]["ContentStreamError_503"];
            504: components["responses"]["ContentStreamError_504"];
            default: components["responses"]["ContentStreamError_default"];
        };
    };
    countContentTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contents": [
                 *         {
                 *           "role": "user",
                 *           "parts": [
                 *             {
                 *               "text": "What are you?"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GenerateContentCountRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        totalTokens: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["GenerateContentError_400"];
            401: components["responses"]["GenerateContentError_401"];
            403: components["responses"]["GenerateContentError_403"];
            404: components["responses"]["GenerateContentError_404"];
            408: components["responses"]["GenerateContentError_408"];
            413: components["responses"]["GenerateContentError_413"];
            415: components["responses"]["GenerateContentError_415"];
            429: components["responses"]["GenerateContentError_429"];
            500: components["responses"]["GenerateContentError_500"];
            503: components["responses"]["GenerateContentError_503"];
            504: components["responses"]["GenerateContentError_504"];
            default: components["responses"]["GenerateContentError_default"];
        };
    };
    embedContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": {
                 *         "parts": [
                 *           {
                 *             "text": "A text"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["EmbedContentRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        embedding: {
                            values?: number[];
                        } & {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["GenerateContentError_400"];
            401: components["responses"]["GenerateContentError_401"];
            403: components["responses"]["GenerateContentError_403"];
            404: components["responses"]["GenerateContentError_404"];
            408: components["responses"]["GenerateContentError_408"];
            413: components["responses"]["GenerateContentError_413"];
            415: components["responses"]["GenerateContentError_415"];
            429: components["responses"]["GenerateContentError_429"];
            500: components["responses"]["GenerateContentError_500"];
            503: components["responses"]["GenerateContentError_503"];
            504: components["responses"]["GenerateContentError_504"];
            default: components["responses"]["GenerateContentError_default"];
        };
    };
    batchEmbedContents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "model": "models/sim-embed",
                 *           "content": {
                 *             "parts": [
                 *               {
                 *                 "text": "A text"
                 *               }
                 *             ]
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BatchEmbedContentsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        embeddings?: ({
                            values?: number[];
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["GenerateContentError_400"];
            401: components["responses"]["GenerateContentError_401"];
            403: components["responses"]["GenerateContentError_403"];
            404: components["responses"]["GenerateContentError_404"];
            408: components["responses"]["GenerateContentError_408"];
            413: components["responses"]["GenerateContentError_413"];
            415: components["responses"]["GenerateContentError_415"];
            429: components["responses"]["GenerateContentError_429"];
            500: components["responses"]["GenerateContentError_500"];
            503: components["responses"]["GenerateContentError_503"];
            504: components["responses"]["GenerateContentError_504"];
            default: components["responses"]["GenerateContentError_default"];
        };
    };
    createEmbedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-embed",
                 *       "input": [
                 *         "A text",
                 *         "Another text"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EmbeddingsRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ({
                            index?: number;
                            embedding: number[] | string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        usage?: {
                            [key: string]: unknown;
                        } | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    rerank: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-rerank",
                 *       "query": "Which animal barks?",
                 *       "documents": [
                 *         "A dog",
                 *         "A cat"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: ({
                            index: number;
                            relevance_score: number;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    rerankSecondVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-rerank",
                 *       "query": "Which animal barks?",
                 *       "documents": [
                 *         "A dog",
                 *         "A cat"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: ({
                            index: number;
                            relevance_score: number;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    rerankWithoutVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-rerank",
                 *       "query": "Which animal barks?",
                 *       "documents": [
                 *         "A dog",
                 *         "A cat"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RerankRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: ({
                            index: number;
                            relevance_score: number;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-image",
                 *       "prompt": "A white cat"
                 *     }
                 */
                "application/json": components["schemas"]["ImageGenerationRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Seconds since 1970. */
                        created?: number;
                        data?: ({
                            b64_json?: string | null;
                            url?: string | null;
                        } & {
                            [key: string]: unknown;
                        })[] | null;
                    } & {
                        [key: string]: unknown;
                    };
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    editImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    prompt: string;
                    /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
                    model: string;
                    n?: number | null;
                    size?: string | null;
                    response_format?: ("url" | "b64_json") | null;
                    user?: string | null;
                    quality?: ("auto" | "low" | "medium" | "high" | "xhigh" | "max" | "standard" | "hd") | null;
                    output_format?: ("png" | "jpeg" | "webp" | "gif" | "svg") | null;
                    output_compression?: number | null;
                    background?: ("transparent" | "opaque" | "auto") | null;
                    moderation?: ("low" | "auto") | null;
                    stream?: boolean | null;
                    partial_images?: number | null;
                    safety_identifier?: string | null;
                    input_fidelity?: ("high" | "low") | null;
                    /**
                     * Format: binary
                     * @description The image to edit. Several are the field `image[]`.
                     */
                    image?: string;
                    /** @description The images to edit. */
                    "image[]"?: string[];
                    /**
                     * Format: binary
                     * @description An image whose transparent areas are edited.
                     */
                    mask?: string;
                } & {
                    [key: string]: unknown;
                };
                "application/json": components["schemas"]["ImageEditRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Seconds since 1970. */
                        created?: number;
                        data?: ({
                            b64_json?: string | null;
                            url?: string | null;
                        } & {
                            [key: string]: unknown;
                        })[] | null;
                    } & {
                        [key: string]: unknown;
                    };
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    varyImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
                    model: string;
                    n?: number | null;
                    size?: string | null;
                    response_format?: ("url" | "b64_json") | null;
                    user?: string | null;
                    /** Format: binary */
                    image: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Seconds since 1970. */
                        created?: number;
                        data?: ({
                            b64_json?: string | null;
                            url?: string | null;
                        } & {
                            [key: string]: unknown;
                        })[] | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createSpeech: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "model": "sim-speech",
                 *       "input": "Hello.",
                 *       "voice": "alloy"
                 *     }
                 */
                "application/json": components["schemas"]["SpeechRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/*": string;
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createTranscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
                    model: string;
                    prompt?: string | null;
                    response_format?: ("json" | "text" | "srt" | "verbose_json" | "vtt" | "diarized_json") | null;
                    temperature?: number | null;
                    language?: string | null;
                    languages?: string[] | null;
                    /** @description Words expected in the audio. */
                    keywords?: string[] | null;
                    stream?: boolean | null;
                    /** @description For verbose_json: the lists to fill. */
                    timestamp_granularities?: ("word" | "segment")[] | null;
                    include?: "logprobs"[] | null;
                    /** @description Splitting of a long audio. */
                    chunking_strategy?: ("auto" | ({
                        /** @constant */
                        type: "server_vad";
                        threshold?: number | null;
                        prefix_padding_ms?: number | null;
                        silence_duration_ms?: number | null;
                    } & {
                        [key: string]: unknown;
                    })) | null;
                    known_speaker_names?: string[] | null;
                    /** @description A data URL for each name: some seconds of only that speaker. */
                    known_speaker_references?: string[] | null;
                    /**
                     * Format: binary
                     * @description The audio.
                     */
                    file: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        text: string;
                    } & {
                        [key: string]: unknown;
                    };
                    "text/plain": string;
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description A model's name, as GET /v1/models lists it, or one that a pattern of the list matches. */
                    model: string;
                    prompt?: string | null;
                    response_format?: ("json" | "text" | "srt" | "verbose_json" | "vtt") | null;
                    temperature?: number | null;
                    /**
                     * Format: binary
                     * @description The audio.
                     */
                    file: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        text: string;
                    } & {
                        [key: string]: unknown;
                    };
                    "text/plain": string;
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    openRealtimeSession: {
        parameters: {
            query?: {
                /** @description The name of the model. A client secret has one already. */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is open. */
            101: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    createRealtimeSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "session": {
                 *         "type": "realtime",
                 *         "model": "sim-1"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RealtimeSecretRequest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        value: string;
                        /** @description Seconds since 1970. */
                        expires_at: number;
                        session: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ChatError_400"];
            401: components["responses"]["ChatError_401"];
            403: components["responses"]["ChatError_403"];
            404: components["responses"]["ChatError_404"];
            408: components["responses"]["ChatError_408"];
            413: components["responses"]["ChatError_413"];
            415: components["responses"]["ChatError_415"];
            429: components["responses"]["ChatError_429"];
            500: components["responses"]["ChatError_500"];
            502: components["responses"]["ChatError_502"];
            503: components["responses"]["ChatError_503"];
            504: components["responses"]["ChatError_504"];
            default: components["responses"]["ChatError_default"];
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description The most models of a page in the messages format. */
                limit?: number;
                /** @description The id of the model before the page, in the messages format. */
                after_id?: string;
                /** @description The id of the model after the page, in the messages format. */
                before_id?: string;
            };
            header?: {
                /** @description If present, the response is in the messages format. */
                "anthropic-version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ModelsError_400"];
            401: components["responses"]["ModelsError_401"];
            403: components["responses"]["ModelsError_403"];
            404: components["responses"]["ModelsError_404"];
            408: components["responses"]["ModelsError_408"];
            413: components["responses"]["ModelsError_413"];
            415: components["responses"]["ModelsError_415"];
            429: components["responses"]["ModelsError_429"];
            500: components["responses"]["ModelsError_500"];
            503: components["responses"]["ModelsError_503"];
            504: components["responses"]["ModelsError_504"];
            529: components["responses"]["ModelsError_529"];
            default: components["responses"]["ModelsError_default"];
        };
    };
    showModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description If present, the response is in the messages format. */
                "anthropic-version"?: string;
            };
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ModelsError_400"];
            401: components["responses"]["ModelsError_401"];
            403: components["responses"]["ModelsError_403"];
            404: components["responses"]["ModelsError_404"];
            408: components["responses"]["ModelsError_408"];
            413: components["responses"]["ModelsError_413"];
            415: components["responses"]["ModelsError_415"];
            429: components["responses"]["ModelsError_429"];
            500: components["responses"]["ModelsError_500"];
            503: components["responses"]["ModelsError_503"];
            504: components["responses"]["ModelsError_504"];
            529: components["responses"]["ModelsError_529"];
            default: components["responses"]["ModelsError_default"];
        };
    };
    listContentModels: {
        parameters: {
            query?: {
                /** @description The most models of a page; 0 means 50. */
                pageSize?: number;
                /** @description The `nextPageToken` of the previous page. */
                pageToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ModelsError_400"];
            401: components["responses"]["ModelsError_401"];
            403: components["responses"]["ModelsError_403"];
            404: components["responses"]["ModelsError_404"];
            408: components["responses"]["ModelsError_408"];
            413: components["responses"]["ModelsError_413"];
            415: components["responses"]["ModelsError_415"];
            429: components["responses"]["ModelsError_429"];
            500: components["responses"]["ModelsError_500"];
            503: components["responses"]["ModelsError_503"];
            504: components["responses"]["ModelsError_504"];
            529: components["responses"]["ModelsError_529"];
            default: components["responses"]["ModelsError_default"];
        };
    };
    showContentModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model's name, which may hold `/` and `:`. */
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["ModelsError_400"];
            401: components["responses"]["ModelsError_401"];
            403: components["responses"]["ModelsError_403"];
            404: components["responses"]["ModelsError_404"];
            408: components["responses"]["ModelsError_408"];
            413: components["responses"]["ModelsError_413"];
            415: components["responses"]["ModelsError_415"];
            429: components["responses"]["ModelsError_429"];
            500: components["responses"]["ModelsError_500"];
            503: components["responses"]["ModelsError_503"];
            504: components["responses"]["ModelsError_504"];
            529: components["responses"]["ModelsError_529"];
            default: components["responses"]["ModelsError_default"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                project?: string;
                owner?: string;
                /** @description A part of the name, in upper or lower case. */
                name?: string;
                disabled?: "true" | "false";
                tag?: string | string[];
                /** @description Exclusive. Tokens that never expire are left out. */
                expiresBefore?: string & (unknown & unknown);
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "search service",
                 *       "project": "search",
                 *       "expiresAt": "2099-12-31T23:59:59Z",
                 *       "models": [
                 *         "sim-*"
                 *       ],
                 *       "limits": {
                 *         "requestsPerMinute": 600
                 *       },
                 *       "budget": {
                 *         "amount": 100,
                 *         "period": "month"
                 *       },
                 *       "tags": {
                 *         "team": "search"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    /** @description `true` if this is the kept answer of an earlier request. */
                    "idempotency-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            422: components["responses"]["Error_422"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    changeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "disabled": true
                 *     }
                 */
                "application/json": components["schemas"]["TokenChange"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["TokenRotation"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description `true` if this is the kept answer of an earlier request. */
                    "idempotency-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            422: components["responses"]["Error_422"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showOwnToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnToken"];
                };
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description A part of the name, in upper or lower case. */
                name?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    setProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description `*` to create only: 412 if the resource exists. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "limits": {
                 *         "tokensPerMinute": 1000000,
                 *         "models": {
                 *           "sim-*": {
                 *             "concurrency": 10
                 *           }
                 *         }
                 *       },
                 *       "budget": {
                 *         "amount": 500,
                 *         "period": "month",
                 *         "endsStreams": false
                 *       },
                 *       "logging": {
                 *         "sample": 0.1,
                 *         "redact": [
                 *           "email"
                 *         ],
                 *         "retentionDays": 7
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ProjectSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description A part of the name, in upper or lower case. */
                name?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    setUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description `*` to create only: 412 if the resource exists. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "budget": {
                 *         "amount": 50,
                 *         "period": "month"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UserSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                token?: string;
                project?: string;
                owner?: string;
                tag?: string | string[];
                model?: string;
                provider?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsagePage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    exportUsage: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                token?: string;
                project?: string;
                owner?: string;
                tag?: string | string[];
                model?: string;
                provider?: string;
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listRejected: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    totalUsage: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                token?: string;
                project?: string;
                owner?: string;
                tag?: string | string[];
                model?: string;
                provider?: string;
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageTotals"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listRequests: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                token?: string;
                project?: string;
                owner?: string;
                model?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedRequestPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedRequest"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    deleteRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showHealth: {
        parameters: {
            query?: {
                /** @description A model's name in the catalog, or a name that it matches with its `*`. */
                model?: string;
                provider?: string;
                state?: "serving" | "resting" | "probing";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReport"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listRunning: {
        parameters: {
            query?: {
                /** @description The token's id. */
                token?: string;
                project?: string;
                /** @description The user who owns the token. */
                owner?: string;
                /** @description The model name that the client sent. */
                model?: string;
                /** @description The provider of the last attempt. */
                provider?: string;
                /** @description The client's format. */
                format?: string;
                state?: "waiting" | "queued" | "running" | "streaming";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunningRequestPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    followRunning: {
        parameters: {
            query?: {
                /** @description The token's id. */
                token?: string;
                project?: string;
                /** @description The user who owns the token. */
                owner?: string;
                /** @description The model name that the client sent. */
                model?: string;
                /** @description The provider of the last attempt. */
                provider?: string;
                /** @description The client's format. */
                format?: string;
                state?: "waiting" | "queued" | "running" | "streaming";
                /** @description Time after which the response ends, in seconds; it does not end by itself if absent. */
                seconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    endRunning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listProviders: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                managedBy?: "file" | "api";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    setProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description `*` to create only: 412 if the resource exists. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "openai",
                 *       "apiKey": {
                 *         "value": "sk-of-the-vendor"
                 *       },
                 *       "pool": "default"
                 *     }
                 */
                "application/json": components["schemas"]["ProviderSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    deleteProvider: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    testProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CatalogTest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogTestResult"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listCatalogModels: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                managedBy?: "file" | "api";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogModelPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showCatalogModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogModel"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    setModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description `*` to create only: 412 if the resource exists. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "targets": [
                 *         {
                 *           "provider": "openai",
                 *           "model": "gpt-5-mini",
                 *           "price": {
                 *             "input": 0.25,
                 *             "output": 2
                 *           }
                 *         }
                 *       ],
                 *       "limits": {
                 *         "context": 400000
                 *       },
                 *       "timeouts": {
                 *         "firstToken": "60s",
                 *         "total": "30m"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CatalogModelSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogModel"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    deleteModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    testModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CatalogTest"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogTestResult"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showPrices: {
        parameters: {
            query?: {
                project?: string;
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelPrices"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogDocument"];
                };
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    applyCatalog: {
        parameters: {
            query?: {
                dryRun?: "true" | "false";
                prune?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "providers": [
                 *         {
                 *           "name": "openai",
                 *           "kind": "openai",
                 *           "apiKey": {
                 *             "set": true
                 *           }
                 *         }
                 *       ],
                 *       "models": [
                 *         {
                 *           "name": "fast",
                 *           "targets": [
                 *             {
                 *               "provider": "openai",
                 *               "model": "gpt-5-mini"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CatalogDocument"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedCatalog"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            409: components["responses"]["Error_409"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            429: components["responses"]["Error_429"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showSignInWays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    startOidc: {
        parameters: {
            query?: {
                /** @description The page of the console to go to afterwards. */
                returnTo?: string;
                /** @description The command that waits for the session on a port of 127.0.0.1; the three fields belong together. */
                port?: number;
                /** @description SHA-256 of the command's secret, in base64url. */
                challenge?: string;
                /** @description Returned to the command. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser goes on to another page. */
            302: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            404: components["responses"]["Error_404"];
            429: components["responses"]["Error_429"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    finishOidc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser goes on to another page. */
            302: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["Error_404"];
            429: components["responses"]["Error_429"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showCommandSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            401: components["responses"]["Error_401"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    confirmCommandSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    finishCommandSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommandCode"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            429: components["responses"]["Error_429"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            429: components["responses"]["Error_429"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    removeLogin: {
        parameters: {
            query?: {
                tokens?: "keep" | "disable";
            };
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    changeLogin: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginChange"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description `true` if this is the kept answer of an earlier request. */
                    "idempotency-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordMade"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            422: components["responses"]["Error_422"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                role?: "manager" | "member" | "viewer";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    setMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description `*` to create only: 412 if the resource exists. */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": components["schemas"]["MemberSettings"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    removeMember: {
        parameters: {
            query?: {
                tokens?: "keep" | "disable";
            };
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                name: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                role?: "admin" | "manager" | "viewer";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServiceAccount"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    /** @description `true` if this is the kept answer of an earlier request. */
                    "idempotency-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedServiceAccount"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            409: components["responses"]["Error_409"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            422: components["responses"]["Error_422"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the client has: 304 if it is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            /** @description The client has the resource as it is. */
            304: {
                headers: {
                    /** @description The version of the resource, in quotes. It changes with every change of the resource. */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    revokeAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            412: components["responses"]["Error_412"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    rotateAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the resource as it was read. If it has changed since, nothing is changed: 412. */
                "If-Match"?: string;
                /** @description A text of the client. The same request with the same key has an effect once: for 24 hours it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceAccountRotation"];
            };
        };
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description `true` if this is the kept answer of an earlier request. */
                    "idempotency-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedServiceAccount"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            404: components["responses"]["Error_404"];
            409: components["responses"]["Error_409"];
            412: components["responses"]["Error_412"];
            413: components["responses"]["Error_413"];
            415: components["responses"]["Error_415"];
            422: components["responses"]["Error_422"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                /** @description The name of a user or a service account. */
                actor?: string;
                actorKind?: "user" | "account" | "admin-token" | "file" | "setting";
                /** @description The name of an act, such as `createToken`. */
                action?: string;
                subjectKind?: "token" | "project" | "user" | "member" | "account" | "session" | "request" | "provider" | "model";
                /** @description The id or the name of what was changed. */
                subject?: string;
                project?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                from?: string;
                /** @description Exclusive. */
                to?: string;
                /** @description The name of a user or a service account. */
                actor?: string;
                actorKind?: "user" | "account" | "admin-token" | "file" | "setting";
                /** @description The name of an act, such as `createToken`. */
                action?: string;
                subjectKind?: "token" | "project" | "user" | "member" | "account" | "session" | "request" | "provider" | "model";
                /** @description The id or the name of what was changed. */
                subject?: string;
                project?: string;
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Error_400"];
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
    showDiagnostics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diagnostics"];
                };
            };
            401: components["responses"]["Error_401"];
            403: components["responses"]["Error_403"];
            503: components["responses"]["Error_503"];
            default: components["responses"]["Error_default"];
        };
    };
}
