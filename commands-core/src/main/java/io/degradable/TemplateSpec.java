package io.degradable;

import io.degradable.model.Source;

/** When a template is entered. */
public final class TemplateSpec extends EntrySpec<TemplateSpec> {

    TemplateSpec() {
        super(Source.STATIC, 0);
    }

    @Override
    TemplateSpec self() {
        return this;
    }
}
